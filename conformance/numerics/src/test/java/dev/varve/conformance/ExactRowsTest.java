package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The other tokens of a batch change no bit of the row of a token. */
class ExactRowsTest {
    /** Tokens that each text gets one by one, at its end. */
    private static final int SINGLE = 4;

    /** Lengths of prompts; one of them has so many rows that a single query would be cut. */
    private static final int[] PROMPTS = {20, 530, 37, 101, 64};

    /** Texts that are computed in chunks while the others decode. */
    private static final int[] CHUNKED = {150, 203};

    @TempDir static Path folder;

    private record Sample(RandomModel spec, Path file) {
        static Sample of(Family family, TensorType type) throws Exception {
            RandomModel spec = family.wide(type);
            return new Sample(spec, spec.write(folder));
        }

        List<int[]> texts() {
            return IntStream.concat(
                            Arrays.stream(PROMPTS).map(prompt -> prompt + SINGLE),
                            Arrays.stream(CHUNKED))
                    .mapToObj(length -> spec.tokens(length, length))
                    .toList();
        }

        SharedForwards open(
                ComputeDevice device,
                CacheTypes cache,
                FlashAttention flash,
                BatchInvariance exact) {
            return new SharedForwards(file, texts(), device, cache, flash, exact);
        }

        SharedForwards open(CacheTypes cache, BatchInvariance exact) {
            return open(Cpu.device(), cache, FlashAttention.AUTO, exact);
        }
    }

    /**
     * Types of weights and caches, for families that together have every operator; half of them
     * where time is short.
     */
    private static Stream<Arguments> everyFamily(Object[]... combinations) {
        List<Arguments> arguments = new ArrayList<>();
        for (Family family : Family.ofSeveralKinds()) {
            for (int each = 0; each < combinations.length; each++) {
                if (Thorough.tries(2, family.ordinal(), each)) {
                    arguments.add(
                            Arguments.of(
                                    Stream.concat(
                                                    Stream.of(family),
                                                    Arrays.stream(combinations[each]))
                                            .toArray()));
                }
            }
        }
        return arguments.stream();
    }

    static Stream<Arguments> cheap() {
        return everyFamily(
                new Object[] {TensorType.F16, Cpu.F16},
                new Object[] {TensorType.BF16, Cpu.Q8_0},
                new Object[] {TensorType.Q6_K, Cpu.F16});
    }

    static Stream<Arguments> all() {
        return everyFamily(
                new Object[] {TensorType.F16, Cpu.F16}, new Object[] {TensorType.Q4_K, Cpu.F16});
    }

    static Stream<Arguments> verified() {
        return everyFamily(
                Thorough.first(
                                2,
                                List.of(
                                        new Object[] {
                                            TensorType.Q4_K, Cpu.F16, FlashAttention.AUTO
                                        },
                                        new Object[] {TensorType.F16, Cpu.F16, FlashAttention.OFF},
                                        new Object[] {TensorType.F16, Cpu.F16, FlashAttention.AUTO},
                                        new Object[] {
                                            TensorType.IQ4_XS, Cpu.F16, FlashAttention.AUTO
                                        },
                                        new Object[] {
                                            TensorType.Q6_K, Cpu.Q8_0, FlashAttention.AUTO
                                        }))
                        .toArray(Object[][]::new));
    }

    /** Grade (a), for the types of weights where it costs nothing. */
    @ParameterizedTest
    @MethodSource("cheap")
    @ByDay(4)
    void rowsAndChunksInOneBatchMatchSingleOnesBitwise(
            Family family, TensorType type, CacheTypes cache) throws Exception {
        assertTogetherAsAlone(Sample.of(family, type), cache, BatchInvariance.AUTO);
    }

    /** Grade (a), for all types. */
    @ParameterizedTest
    @MethodSource("all")
    @ByDay(4)
    void exactRowsInOneBatchMatchSingleOnesBitwise(Family family, TensorType type, CacheTypes cache)
            throws Exception {
        assertTogetherAsAlone(Sample.of(family, type), cache, BatchInvariance.ON);
    }

    /** Chunks keep theirs whatever the rows do. */
    @ParameterizedTest
    @SomeFamilies(first = 0)
    @ByDay(1)
    void chunksBesideRowsMatchChunksAloneBitwise(Family family) throws Exception {
        Sample sample = Sample.of(family, TensorType.Q4_K);
        try (SharedForwards alone = sample.open(Cpu.F16, BatchInvariance.AUTO);
                SharedForwards together = sample.open(Cpu.F16, BatchInvariance.AUTO)) {
            alone(alone);
            together(together);

            assertEquals(
                    List.of(),
                    alone.differences(together).stream()
                            .filter(at -> at.text() >= PROMPTS.length)
                            .toList(),
                    sample.spec().toString());
        }
    }

    private static void assertTogetherAsAlone(
            Sample sample, CacheTypes cache, BatchInvariance exact) {
        try (SharedForwards alone = sample.open(cache, exact);
                SharedForwards together = sample.open(cache, exact)) {
            alone(alone);
            together(together);

            assertEquals(SINGLE * PROMPTS.length + 8, alone.compared(together));
            assertEquals(List.of(), alone.differences(together), sample.spec() + " " + cache);
        }
    }

    private static void prompts(SharedForwards shard) {
        for (int text = 0; text < PROMPTS.length; text++) {
            for (int begin = 0; begin < PROMPTS[text]; begin += 512) {
                shard.forward(
                        Phase.PREFILL,
                        shard.next(
                                text, Math.min(512, PROMPTS[text] - begin), RequestedOutput.NONE));
            }
        }
    }

    /** The chunks of the texts that are prompts only; the last but one is a single token. */
    private static final int[][] CHUNKS = {{70, 37, 1, 42}, {96, 31, 5, 71}};

    private static void alone(SharedForwards shard) {
        prompts(shard);
        for (int text = 0; text < PROMPTS.length; text++) {
            for (int i = 0; i < SINGLE; i++) {
                shard.forward(Phase.DECODE, shard.next(text, 1));
            }
        }
        for (int step = 0; step < CHUNKS[0].length; step++) {
            for (int i = 0; i < CHUNKS.length; i++) {
                shard.forward(Phase.PREFILL, shard.next(PROMPTS.length + i, CHUNKS[i][step]));
            }
        }
    }

    /** All texts go on in every forward, chunks first, last or between the rows. */
    private static void together(SharedForwards shard) {
        prompts(shard);
        for (int step = 0; step < SINGLE; step++) {
            List<SequenceChunk> chunks = new ArrayList<>();
            for (int text = 0; text < PROMPTS.length; text++) {
                chunks.add(shard.next(text, 1));
            }
            boolean mixed = step < CHUNKS[0].length;
            for (int i = 0; mixed && i < CHUNKS.length; i++) {
                int place = step * 3 % (chunks.size() + 1);
                chunks.add(place, shard.next(PROMPTS.length + i, CHUNKS[i][step]));
            }
            shard.forward(mixed ? Phase.PREFILL : Phase.DECODE, chunks);
        }
    }

    /** Grade (a): as many tokens in one step as a draft may have. */
    @ParameterizedTest
    @MethodSource("verified")
    @ByDay({1, 2})
    void severalTokensOfASequenceInOneStepMatchSingleStepsBitwise(
            Family family, TensorType type, CacheTypes cache, FlashAttention flash)
            throws Exception {
        Sample sample = Sample.of(family, type);
        try (SharedForwards single = sample.open(Cpu.device(), cache, flash, BatchInvariance.ON);
                SharedForwards several =
                        sample.open(Cpu.device(), cache, flash, BatchInvariance.ON)) {
            alone(single);

            prompts(several);
            several.forward(
                    Phase.DECODE,
                    IntStream.range(0, PROMPTS.length)
                            .mapToObj(text -> several.next(text, SINGLE, RequestedOutput.ALL))
                            .toList());

            assertEquals(SINGLE * PROMPTS.length, single.compared(several));
            assertEquals(List.of(), single.differences(several), sample.spec() + " " + cache);
        }
    }

    /** Threads share out rows and heads, and cut neither. */
    @ParameterizedTest
    @SomeFamilies(first = 1)
    @ByDay(1)
    @Tag("threads")
    void exactRowsDoNotDependOnTheNumberOfThreads(Family family) throws Exception {
        Sample sample = Sample.of(family, TensorType.Q4_K);
        try (SharedForwards two = sample.open(Cpu.F16, BatchInvariance.ON);
                SharedForwards one =
                        sample.open(
                                Cpu.oneThread(),
                                Cpu.F16,
                                FlashAttention.AUTO,
                                BatchInvariance.ON)) {
            alone(two);
            together(one);

            assertEquals(List.of(), two.differences(one), sample.spec().toString());
        }
    }

    /**
     * The processor may compute with fewer threads on a busy machine: all but single queries to 512
     * cells or more.
     */
    @ParameterizedTest
    @CsvSource({"QWEN35, F16", "QWEN35MOE, Q4_K", "GEMMA4, Q4_0", "LAGUNA, Q8_0"})
    @Tag("threads")
    @ByDay({1, 3})
    void chunksAndEarlyRowsDoNotDependOnTheNumberOfThreads(Family family, TensorType type)
            throws Exception {
        RandomModel spec = family.wide(type);
        Path file = spec.write(folder);
        List<int[]> texts = List.of(spec.tokens(600, 1), spec.tokens(200, 2));
        try (SharedForwards two =
                        new SharedForwards(
                                file,
                                texts,
                                Cpu.device(),
                                Cpu.F16,
                                FlashAttention.AUTO,
                                BatchInvariance.AUTO);
                SharedForwards one =
                        new SharedForwards(
                                file,
                                texts,
                                Cpu.oneThread(),
                                Cpu.F16,
                                FlashAttention.AUTO,
                                BatchInvariance.AUTO)) {
            for (SharedForwards shard : List.of(two, one)) {
                shard.forward(Phase.PREFILL, shard.next(0, 512, RequestedOutput.ALL));
                shard.forward(Phase.PREFILL, shard.next(0, 88, RequestedOutput.ALL));
                shard.forward(Phase.PREFILL, shard.next(1, 190, RequestedOutput.ALL));
                for (int i = 0; i < 10; i++) {
                    shard.forward(Phase.DECODE, shard.next(1, 1));
                }
            }

            assertEquals(800, two.compared(one));
            assertEquals(List.of(), two.differences(one), spec.toString());
        }
    }

    /**
     * Without exact rows, neighbours change bits. Otherwise the tests above could not detect an
     * error.
     */
    @ParameterizedTest
    @CsvSource({"F16", "Q4_K"})
    @ByDay(2)
    void withoutExactRowsOtherRowsChangeBits(TensorType type) throws Exception {
        // Matrix registers treat each column by itself; experts of floats are not multiplied there.
        assumeTrue(type == TensorType.F16 || !Cpu.hasTiles());
        Sample sample = Sample.of(Family.LAGUNA, type);
        try (SharedForwards alone = sample.open(Cpu.Q8_0, BatchInvariance.OFF);
                SharedForwards together = sample.open(Cpu.Q8_0, BatchInvariance.OFF)) {
            alone(alone);
            together(together);

            assertNotEquals(List.of(), alone.differences(together), sample.spec().toString());
        }
    }
}
