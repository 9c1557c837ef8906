package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.stream.LongStream;

class Gemma4ModelTest {
    private static final Gemma4Model TINY = Gemma4Model.tiny();
    private static final OracleOptions OPTIONS = OracleOptions.defaults().withContext(256);

    /** Tokens between the one that is exchanged and the row that is compared. */
    private static final int DISTANCE = 30;

    @TempDir Path folder;

    static LongStream seeds() {
        return LongStream.range(0, Effort.of(1, 18));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomModelsDependOnTheTokenAndItsContext(long seed) throws IOException {
        Gemma4Model model = Gemma4Model.odd(seed);
        int[] tokens = model.randomTokens(70, seed);
        int last = tokens.length - 1;
        int[] otherContext = model.randomTokens(70, seed + 100);
        otherContext[last] = tokens[last];

        try (Oracle oracle = Oracle.open(model.write(folder), OPTIONS)) {
            float[][] rows = oracle.logits(tokens);
            for (float[] row : rows) {
                assertEquals(model.size().vocabulary(), row.length);
                double deviation = ModelChecks.deviation(row);
                assertTrue(deviation > 2 && deviation < 8, model + ": deviation " + deviation);
            }
            double byToken = distance(rows[last], oracle.lastLogits(exchanged(tokens, last)));
            double byContext = distance(rows[last], oracle.lastLogits(otherContext));
            double byOne =
                    distance(rows[last], oracle.lastLogits(exchanged(tokens, last - DISTANCE)));
            assertTrue(byToken > 0.7 && byToken < 2, model + ": token moves by " + byToken);
            assertTrue(byContext > 0.4 && byContext < 1.8, model + ": context by " + byContext);
            assertTrue(byOne > 0.01 && byOne < 1.5, model + ": one token by " + byOne);
            assertArrayEquals(rows, oracle.logits(tokens), model + ": not repeatable");
        }
    }

    @Test
    void equalDescriptionsGiveEqualFiles() throws IOException {
        Path first = Gemma4Model.odd(10).write(folder.resolve("a"));
        Path second = folder.resolve("b.gguf");
        Gemma4Model.odd(10).writer().write(second);

        assertEquals(-1, Files.mismatch(first, second));
    }

    @ParameterizedTest
    @EnumSource(
            value = TensorType.class,
            names = {"F16", "Q8_0", "Q4_0", "Q4_K", "Q6_K"})
    @ByDay({1, 4})
    void matricesComeInManyTypes(TensorType type) throws IOException {
        Path file = TINY.withType(type).write(folder);

        for (float[] row : ModelChecks.logits(file, TINY.randomTokens(20, 1))) {
            double deviation = ModelChecks.deviation(row);
            assertTrue(deviation > 2 && deviation < 8, type + ": deviation " + deviation);
        }
    }

    /** Rows that see less than the smaller window cannot know of it; later ones do. */
    @Test
    void windowActsOnlyBeyondItsLength() throws IOException {
        int[] tokens = TINY.randomTokens(60, 1);
        int window = TINY.attention().window();
        Gemma4Model wide = TINY.withAttention(attention(512, 4, false));

        float[][] narrow = ModelChecks.logits(TINY.write(folder), tokens);
        float[][] all = ModelChecks.logits(wide.write(folder), tokens);

        for (int row = 0; row < window; row++) {
            assertTrue(distance(all[row], narrow[row]) < 1e-4, "row " + row);
        }
        assertTrue(distance(all[59], narrow[59]) > 0.01, "the window has no effect");
    }

    @Test
    void textBecomesMergedWordsNewlineRunsBytesAndSpecialTokens() throws IOException {
        Gemma4Vocabulary vocabulary = Gemma4Vocabulary.of(TINY.size().vocabulary());
        int[] expected =
                Arrays.stream(
                                new String[] {
                                    "<bos>",
                                    "<|turn>",
                                    "user",
                                    "\n",
                                    "the",
                                    "\u2581and",
                                    "\n\n",
                                    "<0xC3>",
                                    "<0xA9>",
                                    "<turn|>",
                                    "<|channel>"
                                })
                        .mapToInt(vocabulary::id)
                        .toArray();

        assertArrayEquals(
                expected,
                ModelChecks.tokenize(
                        TINY.write(folder), "<|turn>user\nthe and\n\n\u00e9<turn|><|channel>"));
    }

    @Test
    @Tag("nightly")
    void greedyRunsDoNotStopByChance() throws IOException {
        Gemma4Vocabulary vocabulary = Gemma4Vocabulary.of(TINY.size().vocabulary());

        int[] tokens = ModelChecks.greedy(TINY.write(folder), TINY.randomTokens(20, 1), 40);

        assertEquals(40, tokens.length);
        assertFalse(Arrays.stream(tokens).anyMatch(vocabulary.quietIds()::contains));
    }

    /** libllama ends the process on such a file. */
    @Test
    void sharedLayersMustFollowASlidingAndAFullOne() {
        assertThrows(
                IllegalArgumentException.class,
                () -> TINY.withSharing(new Gemma4Model.Sharing(2, true)));
    }

    @Test
    void eighteenSeedsCoverEveryForm() {
        List<Gemma4Model> models = LongStream.range(0, 18).mapToObj(Gemma4Model::odd).toList();
        List<Gemma4Model> sharing =
                models.stream().filter(model -> model.sharing().layers() > 0).toList();
        List<Gemma4Model> mixtures =
                models.stream().filter(model -> model.experts().count() > 0).toList();

        assertBoth(models, model -> model.weights().tiedHead());
        assertBoth(models, model -> model.weights().layerScales());
        assertBoth(models, model -> model.attention().fusedQkv());
        assertBoth(models, model -> model.attention().window() == 512);
        assertBoth(models, model -> model.attention().heads() == model.attention().fullHeads());
        assertBoth(models, model -> model.attention().kvHeads() == model.attention().fullKvHeads());
        assertBoth(models, model -> model.attention().headDim() == 256);
        assertBoth(models, model -> model.softcap().isPresent());
        assertBoth(models, model -> model.softcap().equals(OptionalDouble.of(0)));
        assertBoth(sharing, model -> model.sharing().wideFeedForward());
        assertBoth(sharing, model -> model.weights().idleProjections());
        assertBoth(mixtures, model -> model.attention().valuesFromKeys());
        assertBoth(mixtures, model -> model.experts().fusedGateUp());
        assertBoth(mixtures, model -> model.experts().scaled());
    }

    @Test
    void fullLayersMayHaveOtherHeads() throws IOException {
        assertMoves(TINY.withAttention(attention(24, 8, false)));
    }

    @Test
    void fusedProjectionIsRead() throws IOException {
        assertMoves(TINY.withAttention(attention(24, 4, true)));
    }

    @Test
    @Tag("nightly")
    void defaultSoftcapIsThirty() throws IOException {
        int[] tokens = TINY.randomTokens(30, 1);
        Path unnamed = TINY.withSoftcap(OptionalDouble.empty()).write(folder);

        assertArrayEquals(
                ModelChecks.logits(TINY.write(folder), tokens),
                ModelChecks.logits(unnamed, tokens));
        assertMoves(TINY.withSoftcap(OptionalDouble.of(5)));
    }

    @Test
    void projectionsOfSharedLayersAreUnused() throws IOException {
        int[] tokens = TINY.randomTokens(30, 1);
        Gemma4Model idle =
                TINY.withWeights(
                        new Gemma4Model.Weights(TensorType.F32, true, true, true, false, 1));

        assertArrayEquals(
                ModelChecks.logits(TINY.write(folder), tokens),
                ModelChecks.logits(idle.write(folder), tokens));
    }

    @Test
    @Tag("nightly")
    void patternedModelsWork() throws IOException {
        Gemma4Model model =
                TINY.withWeights(
                        new Gemma4Model.Weights(TensorType.Q4_0, true, true, false, true, 1));

        float[][] rows = ModelChecks.logits(model.write(folder), model.randomTokens(30, 1));

        double deviation = ModelChecks.deviation(rows[29]);
        assertTrue(deviation > 2 && deviation < 8, "deviation " + deviation);
    }

    private static Gemma4Model.Attention attention(int window, int fullHeads, boolean fused) {
        Gemma4Model.Attention tiny = TINY.attention();
        return new Gemma4Model.Attention(
                tiny.sliding(), window, 4, fullHeads, 2, 1, 32, 64, false, fused);
    }

    private void assertMoves(Gemma4Model changed) throws IOException {
        ModelChecks.assertDiffer(
                TINY.write(folder), changed.write(folder), TINY.randomTokens(30, 1));
    }

    private static void assertBoth(List<Gemma4Model> models, Predicate<Gemma4Model> form) {
        assertTrue(models.stream().anyMatch(form), "none");
        assertFalse(models.stream().allMatch(form), "all");
    }

    private static int[] exchanged(int[] tokens, int position) {
        int[] other = tokens.clone();
        int first = Gemma4Vocabulary.FIRST_TEXT;
        other[position] = tokens[position] == first ? first + 1 : first;
        assertNotEquals(tokens[position], other[position]);
        return other;
    }

    private static double distance(float[] expected, float[] actual) {
        return Comparison.worstRelativeL2(new float[][] {expected}, new float[][] {actual});
    }
}
