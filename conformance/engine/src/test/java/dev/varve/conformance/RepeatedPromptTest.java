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
 * A prompt whose last token alone is computed behind a prefix from host memory has the output of
 * the whole prompt, whose last token was computed in a tile.
 */
class RepeatedPromptTest {
    private static final int TOKENS = 700;

    @TempDir static Path folder;

    static Stream<Arguments> models() {
        return Stream.of(BatchInvariance.AUTO)
                .flatMap(
                        rows ->
                                Stream.of(
                                                Family.QWEN3.odd(1, TensorType.Q8_0),
                                                decoder(DecoderLayout.GLM4),
                                                decoder(DecoderLayout.LLAMA),
                                                decoder(DecoderLayout.QWEN2),
                                                decoder(DecoderLayout.SEED_OSS),
                                                decoder(DecoderLayout.PHI3),
                                                Family.QWEN3.odd(2, TensorType.Q8_0),
                                                Family.QWEN3.odd(3, TensorType.Q8_0),
                                                Family.QWEN3.odd(4, TensorType.Q8_0),
                                                decoder(DecoderLayout.DEEPSEEK2_OLD),
                                                decoder(DecoderLayout.DEEPSEEK2))
                                        .map(spec -> Arguments.of(rows, spec)));
    }

    private static RandomModel decoder(DecoderLayout layout) {
        return RandomModel.of(new DecoderModel(layout, 1, TensorType.Q8_0));
    }

    @ParameterizedTest
    @MethodSource("models")
    void lastTokenBehindACachedPrefixHasTheSameOutput(BatchInvariance rows, RandomModel spec)
            throws Exception {
        ModelSettings plain = CacheHits.withHost(Cpu.settings(1024, 2, Cpu.F16));
        ModelSettings settings = plain.with(plain.computation().with(rows));
        int[] prompt = spec.tokens(TOKENS, 4);
        try (LoadedModel model = Cpu.load(spec.write(folder), settings)) {
            int[] expected = ask(model, prompt).tokens();
            Await.until(
                    "the prompt in host memory",
                    () ->
                            Await.result(model.engine().cacheEntries()).stream()
                                    .anyMatch(entry -> entry.tokens() >= TOKENS - 1));

            Answer again = ask(model, prompt);

            assertEquals(Optional.of(CacheSource.HOST), again.end().cache().source());
            assertEquals(TOKENS - 1, again.end().tokens().cached());
            assertArrayEquals(expected, again.tokens(), spec.toString());
        }
    }

    private static Answer ask(LoadedModel model, int[] prompt) throws Exception {
        Answer answer = Answer.of(prompt, 24);
        answer.submit(model.engine());
        answer.end();
        return answer;
    }
}
