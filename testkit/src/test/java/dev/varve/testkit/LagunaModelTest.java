package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.LongStream;
import java.util.stream.Stream;

class LagunaModelTest {
    private static final LagunaModel TINY = LagunaModel.tiny();

    @TempDir Path folder;

    static LongStream seeds() {
        return LongStream.range(0, Effort.of(1, 16));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomModelsLoadAndGiveReasonableLogits(long seed) throws IOException {
        LagunaModel model = LagunaModel.odd(seed);

        ModelChecks.assertWellBehaved(
                model.write(folder), model.size().vocabulary(), model.randomTokens(70, seed));
    }

    @Test
    void sixteenSeedsCoverEveryForm() {
        List<LagunaModel> models = LongStream.range(0, 16).mapToObj(LagunaModel::odd).toList();

        assertBoth(models.stream().map(model -> model.attention().heads().size() == 1));
        assertBoth(models.stream().map(model -> model.attention().gatePerElement()));
        assertBoth(models.stream().map(model -> model.attention().fusedQkv()));
        assertBoth(models.stream().map(model -> model.window().tokens() == 0));
        assertBoth(models.stream().map(model -> model.window().tokens() == 512));
        assertBoth(models.stream().map(model -> model.rope().yarn().isPresent()));
        assertBoth(
                models.stream()
                        .flatMap(model -> model.rope().yarn().stream())
                        .map(yarn -> yarn.betaFast().isPresent()));
        assertBoth(models.stream().map(model -> model.rope().windowDims().isPresent()));
        assertBoth(models.stream().map(model -> model.rope().windowBase().isPresent()));
        assertBoth(models.stream().map(model -> model.experts().normalised()));
        assertBoth(models.stream().map(model -> model.experts().scale().isPresent()));
        assertBoth(
                models.stream()
                        .flatMapToDouble(model -> model.experts().scale().stream())
                        .mapToObj(scale -> scale == 0));
        assertBoth(
                models.stream()
                        .map(LagunaModel::experts)
                        .map(experts -> experts.sharedFeedForward() == experts.feedForward()));
        assertBoth(models.stream().map(model -> model.weights().tiedHead()));
        assertBoth(models.stream().map(model -> model.chat().endOfTurnMarked()));
        assertEquals(3, models.stream().map(model -> model.experts().gating()).distinct().count());
        assertEquals(
                3,
                models.stream()
                        .map(model -> model.window().pattern().getClass())
                        .distinct()
                        .count());
    }

    @Test
    @Tag("nightly")
    void equalDescriptionsGiveEqualFiles() throws IOException {
        Path first = LagunaModel.odd(9).write(folder.resolve("a"));
        Path second = folder.resolve("b.gguf");
        LagunaModel.odd(9).writer().write(second);

        assertEquals(-1, Files.mismatch(first, second));
        assertNotEquals(
                first.getFileName(),
                LagunaModel.odd(9).withSeed(3).write(folder.resolve("a")).getFileName());
    }

    @ParameterizedTest
    @EnumSource(
            value = TensorType.class,
            names = {"F16", "Q8_0"})
    void otherTypesAreTheSameModel(TensorType type) throws IOException {
        int[] tokens = TINY.randomTokens(40, 1);
        float[][] expected = ModelChecks.logits(TINY.write(folder), tokens);

        float[][] actual = ModelChecks.logits(TINY.withType(type).write(folder), tokens);

        // Rounding changes the choice of experts now and then, so most rows count, not the worst.
        double[] distances = new double[tokens.length];
        for (int row = 0; row < distances.length; row++) {
            distances[row] =
                    Comparison.worstRelativeL2(
                            new float[][] {expected[row]}, new float[][] {actual[row]});
        }
        Arrays.sort(distances);
        assertTrue(distances[tokens.length / 2] < 0.05, Arrays.toString(distances));
    }

    /** Each variant differs from the tiny model in one value that libllama must have read. */
    static Stream<LagunaModel> variants() {
        LagunaModel.Rope rope = TINY.rope();
        return Stream.of(
                TINY.withTiedHead(false),
                TINY.withLeadingDense(3),
                TINY.withAttention(
                        new LagunaModel.Attention(List.of(4, 6, 6, 6, 4), 2, 32, true, false)),
                TINY.withAttention(
                        new LagunaModel.Attention(List.of(4, 6, 6, 6, 4), 2, 32, false, true)),
                TINY.withWindow(LagunaModel.Window.NONE),
                TINY.withWindow(new LagunaModel.Window(12, new LagunaModel.Pattern.Standard())),
                TINY.withWindow(new LagunaModel.Window(24, new LagunaModel.Pattern.Period(2))),
                TINY.withWindow(
                        new LagunaModel.Window(
                                24,
                                new LagunaModel.Pattern.Flags(
                                        List.of(true, false, true, false, true)))),
                TINY.withRope(
                        new LagunaModel.Rope(
                                16,
                                OptionalInt.empty(),
                                rope.base(),
                                rope.windowBase(),
                                rope.yarn())),
                TINY.withRope(
                        new LagunaModel.Rope(
                                16,
                                rope.windowDims(),
                                rope.base(),
                                OptionalDouble.empty(),
                                rope.yarn())),
                TINY.withRope(
                        new LagunaModel.Rope(
                                16,
                                rope.windowDims(),
                                rope.base(),
                                rope.windowBase(),
                                Optional.empty())),
                TINY.withExperts(experts(LagunaModel.Gating.SOFTMAX, true, 2.5)),
                TINY.withExperts(experts(LagunaModel.Gating.SIGMOID, false, 2.5)));
    }

    @ParameterizedTest
    @MethodSource("variants")
    @ByDay({1, 8})
    void everyFormChangesTheLogits(LagunaModel variant) throws IOException {
        ModelChecks.assertDiffer(
                TINY.write(folder), variant.write(folder), TINY.randomTokens(60, 1));
    }

    @Test
    @Tag("nightly")
    void flagsThatRepeatTheStandardPatternChangeNothing() throws IOException {
        assertSame(
                TINY,
                TINY.withWindow(
                        new LagunaModel.Window(
                                24,
                                new LagunaModel.Pattern.Flags(
                                        List.of(false, true, true, true, false)))));
    }

    @Test
    @Tag("nightly")
    void explicitPeriodOfFourChangesNothing() throws IOException {
        assertSame(
                TINY,
                TINY.withWindow(new LagunaModel.Window(24, new LagunaModel.Pattern.Period(4))));
    }

    @Test
    @Tag("nightly")
    void defaultGatingIsSigmoid() throws IOException {
        assertSame(TINY, TINY.withExperts(experts(LagunaModel.Gating.ABSENT, true, 2.5)));
    }

    @Test
    void scaleOfZeroMeansNoScale() throws IOException {
        LagunaModel.Experts none =
                new LagunaModel.Experts(
                        10, 3, 64, 96, LagunaModel.Gating.SIGMOID, true, OptionalDouble.empty());
        LagunaModel unscaled = TINY.withExperts(none);

        assertSame(unscaled, TINY.withExperts(experts(LagunaModel.Gating.SIGMOID, true, 0)));
    }

    @Test
    void libllamaReadsNoYarnBetas() throws IOException {
        LagunaModel.Rope rope = TINY.rope();
        LagunaModel.Yarn yarn = new LagunaModel.Yarn(32, 128, OptionalDouble.of(64));

        assertSame(
                TINY,
                TINY.withRope(
                        new LagunaModel.Rope(
                                rope.dims(),
                                rope.windowDims(),
                                rope.base(),
                                rope.windowBase(),
                                Optional.of(yarn))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void chatMarkersAreOneTokenEach(boolean endOfTurnMarked) throws IOException {
        LagunaModel model =
                TINY.withChat(new LagunaModel.Chat(LagunaModel.TEMPLATE, endOfTurnMarked));
        TestVocabulary vocabulary = model.vocabulary();

        int[] tokens =
                ModelChecks.tokenize(
                        model.write(folder), "<user>the water</user><assistant></assistant>");

        assertArrayEquals(
                Stream.of(
                                "〈|EOS|〉",
                                "<user>",
                                "the",
                                "Ġwater",
                                "</user>",
                                "<assistant>",
                                "</assistant>")
                        .mapToInt(vocabulary::id)
                        .toArray(),
                tokens);
    }

    @Test
    @Tag("nightly")
    void greedyRunDoesNotStopByChance() throws IOException {
        int[] tokens = ModelChecks.greedy(TINY.write(folder), TINY.randomTokens(16, 9), 200);

        assertTrue(
                Arrays.stream(tokens).noneMatch(TINY.vocabulary().controlIds()::contains),
                Arrays.toString(tokens));
        assertTrue(Arrays.stream(tokens).distinct().count() > 20, Arrays.toString(tokens));
    }

    @Test
    @Tag("nightly")
    void patternedExpertsWork() throws IOException {
        LagunaModel model =
                TINY.withWeights(new LagunaModel.Weights(TensorType.Q4_0, true, true, 1));

        ModelChecks.assertWellBehaved(
                model.write(folder), model.size().vocabulary(), model.randomTokens(70, 1));
    }

    @Test
    void headCountsThatDoNotFitTheLayersAreRefused() {
        var attention = new LagunaModel.Attention(List.of(4, 6), 2, 32, false, false);

        assertThrows(IllegalArgumentException.class, () -> TINY.withAttention(attention));
    }

    private void assertSame(LagunaModel first, LagunaModel second) throws IOException {
        int[] tokens = first.randomTokens(60, 1);

        assertNotEquals(first.write(folder), second.write(folder));
        assertArrayEquals(
                ModelChecks.logits(first.write(folder), tokens),
                ModelChecks.logits(second.write(folder), tokens));
    }

    private static void assertBoth(Stream<Boolean> values) {
        assertEquals(2, values.distinct().count());
    }

    private static LagunaModel.Experts experts(
            LagunaModel.Gating gating, boolean normalised, double scale) {
        return new LagunaModel.Experts(10, 3, 64, 96, gating, normalised, OptionalDouble.of(scale));
    }
}
