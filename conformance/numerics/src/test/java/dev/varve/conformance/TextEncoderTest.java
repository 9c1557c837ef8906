package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.embedding.Pooling;
import dev.varve.api.embedding.TextEncoder;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.local.CausalEncoder;
import dev.varve.platform.shard.local.LocalTextEncoder;
import dev.varve.testkit.EmbeddingOracle;
import dev.varve.testkit.EncoderModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Vectors of texts compared with libllama's, and of batches with those of single texts. */
class TextEncoderTest {
    private static final double BOUND = 1e-5;

    /** GELU is a table of F16, so that a last bit of its input may change 1e-3 of its result. */
    private static final double GELU_BOUND = 2e-3;

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource(
            value = RandomModel.Family.class,
            names = {"QWEN3", "LAGUNA"})
    void lastTokensOfModelsThatGenerateMatchLibllama(RandomModel.Family family) throws Exception {
        requireLastTokens(family.odd(3, TensorType.F32), BOUND);
    }

    /** Layers that share rows, windows, and GELU. */
    @Test
    void lastTokensOfGemma4MatchLibllama() throws Exception {
        requireLastTokens(RandomModel.Family.GEMMA4.odd(3, TensorType.F32), GELU_BOUND);
    }

    private void requireLastTokens(RandomModel model, double bound) throws Exception {
        Path file = model.write(folder);
        requireEqual(file, causal(file), Pooling.LAST, texts(model, 40, 3, 17, 40, 1), bound);
    }

    @Test
    void textDoesNotDependOnOthersInItsBatch() throws Exception {
        RandomModel model = RandomModel.Family.QWEN3.odd(5, TensorType.F32);
        List<int[]> texts = texts(model, 9, 33, 9, 70);
        try (LocalTextEncoder encoder = load(causal(model.write(folder)), Pooling.MEAN)) {
            float[][] together = encoder.encode(texts, () -> false);
            for (int text = 0; text < texts.size(); text++) {
                float[] alone = encoder.encode(List.of(texts.get(text)), () -> false)[0];
                assertTrue(distance(alone, together[text]) < 1e-6, "text " + text);
            }
        }
    }

    static Stream<Arguments> encoders() {
        return Arrays.stream(EncoderModel.Kind.values())
                .flatMap(
                        kind ->
                                Stream.of(Pooling.MEAN, Pooling.CLS, Pooling.LAST, Pooling.RANK)
                                        .filter(pooling -> pooling != Pooling.RANK || ranks(kind))
                                        .map(pooling -> Arguments.of(kind, pooling)));
    }

    private static boolean ranks(EncoderModel.Kind kind) {
        return switch (kind) {
            case BERT, JINA2, MODERN -> true;
            case NOMIC, NOMIC_MOE, JINA3, GEMMA -> false;
        };
    }

    @ParameterizedTest
    @MethodSource("encoders")
    void encodersMatchLibllama(EncoderModel.Kind kind, Pooling pooling) throws Exception {
        EncoderModel model =
                new EncoderModel(
                        kind,
                        pooling.ordinal(),
                        TensorType.F32,
                        pooling.ordinal(),
                        pooling == Pooling.RANK);
        Path file = model.write(folder);

        requireEqual(
                file,
                encoder(file),
                pooling,
                model.texts(40, 3, 100, 17, 40, 1),
                kind.hasGelu() ? GELU_BOUND : BOUND);
    }

    private static TextEncoder encoder(Path file) {
        GgufFile gguf = GgufFile.open(file);
        return Cpu.family(gguf).openEncoder(gguf, ModelOptions.defaults()).orElseThrow();
    }

    private static List<int[]> texts(RandomModel model, int... lengths) {
        return IntStream.range(0, lengths.length)
                .mapToObj(text -> model.tokens(lengths[text], 7 + text))
                .toList();
    }

    private static TextEncoder causal(Path file) {
        return new CausalEncoder(
                Cpu.open(file, ModelOptions.defaults()), Pooling.LAST, Optional.empty());
    }

    private static LocalTextEncoder load(TextEncoder encoder, Pooling pooling) {
        return new LocalTextEncoder(
                encoder, pooling, Cpu.device(), Duration.ZERO, LoadProgressListener.silent());
    }

    private static void requireEqual(
            Path file, TextEncoder encoder, Pooling pooling, List<int[]> texts, double bound) {
        float[][] own;
        try (LocalTextEncoder loaded = load(encoder, pooling)) {
            own = loaded.encode(texts, () -> false);
        }
        try (EmbeddingOracle oracle = EmbeddingOracle.open(file, pooling.ordinal(), 512)) {
            float[][] expected = oracle.vectors(texts, own[0].length);
            for (int text = 0; text < own.length; text++) {
                assertEquals(expected[text].length, own[text].length);
                double distance = distance(expected[text], own[text]);
                assertTrue(distance <= bound, "text " + text + ": relative distance " + distance);
            }
        }
    }

    private static double distance(float[] expected, float[] found) {
        double difference = 0;
        double length = 0;
        for (int i = 0; i < expected.length; i++) {
            difference += Math.pow(expected[i] - (double) found[i], 2);
            length += Math.pow(expected[i], 2);
        }
        return Math.sqrt(difference / length);
    }
}
