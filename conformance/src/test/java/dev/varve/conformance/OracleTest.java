package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Random models of odd shapes against libllama, an independent implementation, with the same
 * threads and cache.
 */
class Qwen35OracleTest {
    private static final int CONTEXT = 1024;

    @TempDir Path folder;

    static Stream<Arguments> models() {
        TensorType[] types = {
            TensorType.F32, TensorType.F16, TensorType.Q8_0, TensorType.Q4_0, TensorType.Q4_K
        };
        return IntStream.range(0, 15)
                .mapToObj(seed -> Arguments.of(seed, types[seed % types.length]));
    }

    /** Grade (a): the same operators in the same order give the same bits. */
    @ParameterizedTest
    @MethodSource("models")
    void logitsAreThoseOfLibllama(int seed, TensorType type) throws Exception {
        Qwen35Model spec = Qwen35Model.odd(seed).withType(type);
        Path file = spec.write(folder);
        int[] tokens = spec.randomTokens(530 + seed, seed);
        for (CacheTypes cache : new CacheTypes[] {Cpu.F16, Cpu.Q8_0}) {
            float[][] expected;
            try (Oracle oracle = oracle(file, cache)) {
                expected = oracle.logits(tokens);
            }

            float[][] actual;
            try (LoadedModel model = Cpu.load(file, Cpu.settings(CONTEXT, 1, cache))) {
                actual = Cpu.logits(model, tokens);
            }

            assertTrue(
                    Comparison.topTwo(expected[0]).margin() > 0,
                    "the oracle's logits say something");
            assertEquals(
                    0,
                    Comparison.worstRelativeL2(expected, actual),
                    spec.size() + " " + type + " " + cache);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 6, 7})
    void greedyContinuationsAreThoseOfLibllama(int seed) throws Exception {
        Qwen35Model spec = Qwen35Model.odd(seed);
        Path file = spec.write(folder);
        int[] prompt = spec.randomTokens(70, seed);
        int[] expected;
        try (Oracle oracle = oracle(file, Cpu.F16)) {
            expected = oracle.greedy(prompt, 64);
        }

        try (LoadedModel model = Cpu.load(file, Cpu.settings(CONTEXT, 2, Cpu.F16))) {
            assertArrayEquals(
                    expected, Answer.ask(model.engine(), prompt, 64).tokens(), "seed " + seed);
        }
    }

    /** Grade (a): every legal cut into two ranges, by hand over one device. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 7, 9})
    void everyCutIntoTwoRangesGivesTheUncutLogits(int seed) throws Exception {
        Qwen35Model spec = Qwen35Model.odd(seed);
        Path file = spec.write(folder);
        int[] tokens = spec.randomTokens(150, seed);
        float[][] whole;
        try (LoadedModel model = Cpu.load(file, Cpu.settings(CONTEXT, 1, Cpu.F16))) {
            whole = Cpu.logits(model, tokens);
        }

        for (int cut = 1; cut < spec.size().layers(); cut++) {
            try (LoadedModel model = Cpu.load(file, Cpu.settings(CONTEXT, 1, Cpu.F16), cut)) {
                float[][] split = Cpu.logits(model, tokens);
                assertEquals(
                        0,
                        Comparison.worstRelativeL2(whole, split),
                        "seed " + seed + ", cut " + cut);
            }
        }
    }

    private static Oracle oracle(Path file, CacheTypes cache) {
        TensorType type = cache.equals(Cpu.F16) ? TensorType.F16 : TensorType.Q8_0;
        return Oracle.open(
                file, OracleOptions.defaults().withContext(CONTEXT).withThreads(2).withCache(type));
    }
}
