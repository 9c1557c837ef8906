package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TextEncoder;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.local.CausalEncoder;
import dev.varve.platform.shard.local.LocalTextEncoder;
import dev.varve.testkit.EmbeddingOracle;
import dev.varve.testkit.EncoderModel;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorData;
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
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Vectors of texts compared with libllama's, and of batches with those of single texts. */
class TextEncoderTest {
    private static final double BOUND = 1e-5;

    /** GELU is a table of F16, so that a last bit of its input may change 1e-3 of its result. */
    private static final double GELU_BOUND = 2e-3;

    private static final double TYPE_BOUND = 1e-2;

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

    /** The same operators in the same order, so that GELU gets the same numbers, too. */
    @ParameterizedTest
    @EnumSource(EncoderModel.Kind.class)
    void singleTextMatchesLibllamaClosely(EncoderModel.Kind kind) throws Exception {
        EncoderModel model =
                new EncoderModel(kind, 1, TensorType.F32, Pooling.MEAN.ordinal(), false);
        Path file = model.write(folder);

        requireEqual(file, encoder(file), Pooling.MEAN, model.texts(50), BOUND);
    }

    /** Qwen3-Reranker with its own head: the share of the first of two outputs. */
    @Test
    void classifierOfAModelThatGeneratesMatchesLibllama() throws Exception {
        Qwen3Model model = Qwen3Model.odd(3).withType(TensorType.F32);
        Random random = new Random(3);
        GgufWriter writer =
                model.writer()
                        .put("qwen3.pooling_type", GgufValue.of(Pooling.RANK.ordinal()))
                        .put(
                                "qwen3.classifier.output_labels",
                                GgufValue.texts(List.of("yes", "no")))
                        .tensor(
                                "cls.output.weight",
                                TensorType.F32,
                                List.of((long) model.size().embedding(), 2L),
                                new TensorData.Floats(
                                        (row, values) -> {
                                            for (int i = 0; i < values.length; i++) {
                                                values[i] = (float) random.nextGaussian() / 20;
                                            }
                                        }));
        Path file = folder.resolve("reranker.gguf");
        writer.write(file);

        requireEqual(
                file,
                causal(file),
                Pooling.RANK,
                List.of(model.randomTokens(20, 1), model.randomTokens(33, 2)),
                BOUND);
    }

    /** A reranker without a head of its own: probability of yes beside no as the next token. */
    @Test
    void nextTokenRanksWithoutAClassifier() throws Exception {
        Qwen3Model model = Qwen3Model.odd(3).withType(TensorType.F32);
        Path file = model.write(folder);
        int[] text = model.randomTokens(20, 1);
        CausalEncoder.Answers answers = new CausalEncoder.Answers(70, 80);
        TextEncoder encoder =
                new CausalEncoder(
                        Cpu.open(file, ModelOptions.defaults()),
                        Pooling.LAST,
                        Optional.of(answers));
        float[] logits;
        try (Oracle oracle =
                Oracle.open(file, OracleOptions.defaults().withCache(TensorType.F32))) {
            logits = oracle.lastLogits(text);
        }
        double yes = 1 / (1 + Math.exp(logits[80] - (double) logits[70]));

        try (LocalTextEncoder loaded = load(encoder, Pooling.RANK)) {
            assertEquals(yes, loaded.encode(List.of(text), () -> false)[0][0], 1e-4);
        }
    }

    @Test
    void modelWithoutAClassifierRefusesToRank() throws Exception {
        Path file = Qwen3Model.odd(3).write(folder);
        TextEncoder encoder = causal(file);

        assertThrows(VarveException.class, () -> load(encoder, Pooling.RANK));
    }

    @Test
    void rowsOfAllTokensKeepTheOrderOfTheTexts() throws Exception {
        EncoderModel model = new EncoderModel(EncoderModel.Kind.NOMIC, 1, TensorType.F32, 0, false);
        List<int[]> texts = model.texts(3, 9, 5);
        TextEncoder encoder = encoder(model.write(folder));
        try (LocalTextEncoder rows = load(encoder, Pooling.NONE);
                LocalTextEncoder first = load(encoder, Pooling.CLS)) {
            float[][] all = rows.encode(texts, () -> false);
            float[][] vectors = first.encode(texts, () -> false);
            for (int text = 0; text < texts.size(); text++) {
                int width = model.vectorLength();
                assertEquals(texts.get(text).length * width, all[text].length);
                requireNear("text " + text, vectors[text], Arrays.copyOf(all[text], width), 1e-6);
            }
        }
    }

    /** Types of released files; inputs are rounded to them, so that last bits decide more. */
    @ParameterizedTest
    @EnumSource(
            value = TensorType.class,
            names = {"F16", "Q8_0"})
    void smallerTypesMatchLibllama(TensorType type) throws Exception {
        EncoderModel model =
                new EncoderModel(EncoderModel.Kind.NOMIC, 1, type, Pooling.MEAN.ordinal(), false);
        Path file = model.write(folder);

        requireEqual(file, encoder(file), Pooling.MEAN, model.texts(40, 3, 100, 17), TYPE_BOUND);
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
            if (pooling == Pooling.RANK) {
                // A single score may be near 0.
                requireNear("scores", joined(expected), joined(own), bound);
                return;
            }
            for (int text = 0; text < own.length; text++) {
                requireNear("text " + text, expected[text], own[text], bound);
            }
        }
    }

    private static float[] joined(float[][] scores) {
        float[] all = new float[scores.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = scores[i][0];
        }
        return all;
    }

    private static void requireNear(String what, float[] expected, float[] found, double bound) {
        assertEquals(expected.length, found.length);
        double distance = distance(expected, found);
        assertTrue(distance <= bound, what + ": relative distance " + distance);
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
