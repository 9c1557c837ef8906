package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A window of a prompt that is computed in pieces, beside others, has the bits of the whole. */
class PiecesTest {
    /** Texts that are prompts: windows of more than a tile, and what is left over by groups. */
    private static final int[] PROMPTS = {150, 580, 66};

    /** Tokens of the text that decodes beside them. */
    private static final int DECODED = 30;

    private static final int WINDOW = 512;

    @TempDir static Path folder;

    private static SharedForwards open(
            Family family, TensorType type, CacheTypes cache, FlashAttention flash)
            throws Exception {
        RandomModel spec = family.wide(type);
        List<int[]> texts = new ArrayList<>();
        for (int length : PROMPTS) {
            texts.add(spec.tokens(length, length));
        }
        texts.add(spec.tokens(DECODED, 7));
        return new SharedForwards(
                spec.write(folder), texts, Cpu.device(), cache, flash, BatchInvariance.AUTO);
    }

    private static void whole(SharedForwards shard) {
        for (int text = 0; text < PROMPTS.length; text++) {
            for (int begin = 0; begin < PROMPTS[text]; begin += WINDOW) {
                int tokens = Math.min(WINDOW, PROMPTS[text] - begin);
                shard.forward(Phase.PREFILL, shard.next(text, tokens, RequestedOutput.ALL));
            }
        }
        for (int i = 0; i < DECODED; i++) {
            shard.forward(Phase.DECODE, shard.next(PROMPTS.length, 1));
        }
    }

    /** Pieces of all prompts in every forward, and a row of decode. */
    private static void pieces(SharedForwards shard, ChunkComputeMode kind) {
        int group = shard.columnGroup();
        int[] done = new int[PROMPTS.length];
        for (int step = 0; step < DECODED; step++) {
            List<SequenceChunk> chunks = new ArrayList<>();
            chunks.add(shard.next(PROMPTS.length, 1));
            for (int text = 0; text < PROMPTS.length; text++) {
                int window = Math.min(PROMPTS[text], (done[text] / WINDOW + 1) * WINDOW);
                int rest = window - done[text];
                int size = 16 * (1 + (step + text) % 3);
                int tokens = Math.min(rest, group == 1 ? size + (5 * step + text) % 16 : size);
                tokens = rest - tokens < 16 ? rest : tokens;
                if (tokens > 0) {
                    chunks.add(shard.next(text, tokens, RequestedOutput.ALL, kind));
                    done[text] += tokens;
                }
            }
            shard.forward(chunks.size() == 1 ? Phase.DECODE : Phase.PREFILL, chunks);
        }
    }

    /**
     * Rearranged types for families that together have every operator, and one of each other way to
     * multiply. Experts of IQ types are left out: which kernel they get depends on how many tokens
     * of a chunk chose them.
     */
    static Stream<Arguments> types() {
        Stream<Arguments> common =
                Family.ofSeveralKinds().stream()
                        .flatMap(
                                family ->
                                        Stream.of(TensorType.F16, TensorType.Q4_0, TensorType.Q4_K)
                                                .map(type -> Arguments.of(family, type, Cpu.F16)));
        Stream<Arguments> others =
                Stream.of(
                        Arguments.of(Family.GEMMA4, TensorType.BF16, Cpu.F16),
                        Arguments.of(Family.QWEN35, TensorType.F32, Cpu.F16),
                        Arguments.of(Family.QWEN35, TensorType.Q8_0, Cpu.F16),
                        Arguments.of(Family.GEMMA4, TensorType.Q6_K, Cpu.Q8_0),
                        Arguments.of(Family.QWEN35, TensorType.IQ4_XS, Cpu.F16));
        return Thorough.some(3, Stream.concat(common, others).toList());
    }

    @ParameterizedTest
    @MethodSource("types")
    @ByDay({2, 3})
    void piecesMatchTheWholeWindowBitwise(Family family, TensorType type, CacheTypes cache)
            throws Exception {
        assertSameBits(family, type, cache, FlashAttention.AUTO);
    }

    @ParameterizedTest
    @EnumSource(names = {"QWEN35", "LAGUNA"})
    @ByDay(1)
    void piecesWithoutFlashAttentionMatchTheWindowBitwise(Family family) throws Exception {
        assertSameBits(family, TensorType.Q4_0, Cpu.F16, FlashAttention.OFF);
    }

    private static void assertSameBits(
            Family family, TensorType type, CacheTypes cache, FlashAttention flash)
            throws Exception {
        try (SharedForwards whole = open(family, type, cache, flash);
                SharedForwards pieces = open(family, type, cache, flash)) {
            whole(whole);
            pieces(pieces, ChunkComputeMode.PIECE);

            assertEquals(Arrays.stream(PROMPTS).sum() + DECODED, whole.compared(pieces));
            assertEquals(List.of(), whole.differences(pieces), family + " " + type);
        }
    }

    /** A resumed prompt has the bits of one computed whole, so a cache hit changes no answer. */
    @ParameterizedTest
    @EnumSource(names = {"QWEN35", "GEMMA4", "LAGUNA"})
    void shortRestBehindAPrefixMatchesTheWindowBitwise(Family family) throws Exception {
        RandomModel spec = family.wide(TensorType.Q4_0);
        try (LoadedModel model = Cpu.load(spec.write(folder), CacheHits.settings(Cpu.F16))) {
            CacheHits.requireShortRest(spec, 3, model, family.toString());
        }
    }

    /** If it made no difference, the tests above would say nothing. */
    @Test
    void shortChunksThatAreNoPiecesUseAnotherPath() throws Exception {
        try (SharedForwards whole =
                        open(Family.LAGUNA, TensorType.Q4_0, Cpu.F16, FlashAttention.AUTO);
                SharedForwards chunks =
                        open(Family.LAGUNA, TensorType.Q4_0, Cpu.F16, FlashAttention.AUTO)) {
            whole(whole);
            pieces(chunks, ChunkComputeMode.CHUNK);

            assertNotEquals(List.of(), whole.differences(chunks));
        }
    }
}
