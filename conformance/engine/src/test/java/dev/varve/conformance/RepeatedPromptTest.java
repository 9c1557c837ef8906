package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.testkit.Await;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A prompt whose last tokens alone are computed behind a cached prefix has the output of the whole
 * prompt, which was computed in tiles.
 */
class RepeatedPromptTest {
    private static final int TOKENS = 700;

    /** A single token would be computed as a row. */
    private static final int CACHED = TOKENS - 2;

    @TempDir static Path folder;

    static Stream<Arguments> models() {
        return Stream.of(BatchInvariance.AUTO, BatchInvariance.ON)
                .flatMap(
                        rows ->
                                Stream.of(
                                                Family.QWEN3.odd(1, TensorType.Q8_0),
                                                decoder(DecoderLayout.GLM4),
                                                decoder(DecoderLayout.DEEPSEEK2))
                                        .map(spec -> Arguments.of(rows, spec)));
    }

    private static RandomModel decoder(DecoderLayout layout) {
        return RandomModel.of(new DecoderModel(layout, 1, TensorType.Q8_0));
    }

    @ParameterizedTest
    @MethodSource("models")
    void lastTokensBehindACachedPrefixHaveTheSameOutput(BatchInvariance rows, RandomModel spec)
            throws Exception {
        ModelSettings plain = CacheHits.withHost(Cpu.settings(1024, 1, Cpu.F16));
        ModelSettings settings = plain.with(plain.computation().with(rows));
        int[] prompt = spec.tokens(TOKENS, 4);
        try (LoadedModel model = Cpu.load(spec.write(folder), settings)) {
            int[] expected = ask(model, prompt).tokens();

            requireSame(expected, CacheSource.DEVICE, ask(model, prompt));

            Await.until(
                    "the prompt in host memory",
                    () ->
                            Await.result(model.engine().cacheEntries()).stream()
                                    .anyMatch(entry -> entry.tokens() >= CACHED));
            ask(model, spec.tokens(900, 5));
            requireSame(expected, CacheSource.HOST, ask(model, prompt));
        }
    }

    private static void requireSame(int[] expected, CacheSource source, Answer again)
            throws Exception {
        assertEquals(Optional.of(source), again.end().cache().source());
        assertEquals(CACHED, again.end().tokens().cached());
        assertArrayEquals(expected, again.tokens(), source.toString());
    }

    private static Answer ask(LoadedModel model, int[] prompt) throws Exception {
        Answer answer = Answer.of(prompt, 24);
        answer.submit(model.engine());
        answer.end();
        return answer;
    }
}
