package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

class Qwen35ModelTest {
    private static final OracleOptions OPTIONS = OracleOptions.defaults().withContext(512);

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void randomModelsLoadAndGiveReasonableLogits(long seed) throws IOException {
        Qwen35Model model = Qwen35Model.odd(seed);

        float[][] rows = logits(model, model.randomTokens(70, seed));

        for (float[] row : rows) {
            assertEquals(model.size().vocabulary(), row.length);
            double deviation = deviation(row);
            assertTrue(deviation > 1 && deviation < 16, model + ": logits deviate by " + deviation);
        }
    }

    @Test
    void equalDescriptionsGiveEqualFiles() throws IOException {
        Path first = Qwen35Model.odd(9).write(folder.resolve("a"));
        Path second = folder.resolve("b.gguf");
        Qwen35Model.odd(9).writer().write(second);

        assertEquals(-1, Files.mismatch(first, second));
    }

    @Test
    void existingFileIsNotWrittenAgain() throws IOException {
        Path file = Qwen35Model.tiny().write(folder);
        var written = Files.getLastModifiedTime(file);

        assertEquals(file, Qwen35Model.tiny().write(folder));
        assertEquals(written, Files.getLastModifiedTime(file));
    }

    @Test
    void anotherSeedGivesAnotherModel() {
        Qwen35Model model = Qwen35Model.tiny();
        assertNotEquals(fileName(model), fileName(model.withSeed(2)));
    }

    @Test
    void separateHeadChangesTheLogits() throws IOException {
        assertChangesLogits(Qwen35Model.tiny().withTiedHead(false));
    }

    @Test
    void biasesOfFullLayersAreUsed() throws IOException {
        assertChangesLogits(
                Qwen35Model.tiny()
                        .withAttention(
                                new Qwen35Model.Attention(
                                        4, 2, 64, 16, List.of(3, 3, 2, 0), false, true)));
    }

    @Test
    void fusedProjectionIsAccepted() throws IOException {
        assertChangesLogits(
                Qwen35Model.tiny()
                        .withAttention(
                                new Qwen35Model.Attention(
                                        4, 2, 64, 16, List.of(3, 3, 2, 0), true, false)));
    }

    @Test
    void recurrentFlagsOverrideTheInterval() throws IOException {
        assertChangesLogits(
                Qwen35Model.tiny()
                        .withPlan(
                                new Qwen35Model.LayerPlan(
                                        4, List.of(false, true, false, true), 0)));
    }

    @Test
    void flagsThatRepeatTheIntervalChangeNothing() throws IOException {
        int[] tokens = Qwen35Model.tiny().randomTokens(30, 1);
        Qwen35Model flagged =
                Qwen35Model.tiny()
                        .withPlan(
                                new Qwen35Model.LayerPlan(4, List.of(true, true, true, false), 0));

        assertArrayEquals(logits(Qwen35Model.tiny(), tokens), logits(flagged, tokens));
    }

    @Test
    void mtpBlockDoesNotChangeTheBackbone() throws IOException {
        int[] tokens = Qwen35Model.tiny().randomTokens(30, 1);
        Qwen35Model drafting =
                Qwen35Model.tiny().withPlan(new Qwen35Model.LayerPlan(4, List.of(), 1));

        assertArrayEquals(logits(Qwen35Model.tiny(), tokens), logits(drafting, tokens));
    }

    /**
     * Scaled matrices hold four times the values, and the scale of a quarter is exact, so the
     * product is the same.
     */
    @Test
    void scalesUndoLargerMatrices() throws IOException {
        int[] tokens = Qwen35Model.tiny().randomTokens(30, 1);
        Qwen35Model scaled =
                Qwen35Model.tiny()
                        .withWeights(new Qwen35Model.Weights(TensorType.F32, true, true, false, 1));

        float[][] expected = logits(Qwen35Model.tiny(), tokens);

        Comparison.assertGradeC("scales", expected, logits(scaled, tokens), 1e-4);
    }

    @Test
    void patternedModelsHaveDistinctRows() throws IOException {
        Qwen35Model model =
                Qwen35Model.tiny()
                        .withWeights(
                                new Qwen35Model.Weights(TensorType.Q4_0, true, false, true, 1));

        float[] row = logits(model, model.randomTokens(30, 1))[29];

        // The three control tokens have rows of zeros; all others differ.
        assertEquals(
                row.length - 2,
                IntStream.range(0, row.length).mapToObj(i -> row[i]).distinct().count());
        assertTrue(deviation(row) > 1, "deviation " + deviation(row));
    }

    @Test
    void sectionsThatDoNotCoverTheRotatedDimensionsAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new Qwen35Model.Attention(4, 2, 64, 16, List.of(3, 3, 3, 0), false, false));
    }

    private void assertChangesLogits(Qwen35Model changed) throws IOException {
        int[] tokens = Qwen35Model.tiny().randomTokens(30, 1);

        double distance =
                Comparison.worstRelativeL2(
                        logits(Qwen35Model.tiny(), tokens), logits(changed, tokens));

        assertTrue(distance > 0.01 && Double.isFinite(distance), "distance " + distance);
    }

    private float[][] logits(Qwen35Model model, int[] tokens) throws IOException {
        try (Oracle oracle = Oracle.open(model.write(folder), OPTIONS)) {
            return oracle.logits(tokens);
        }
    }

    private String fileName(Qwen35Model model) {
        try {
            return model.write(folder).getFileName().toString();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static double deviation(float[] row) {
        double[] values = new double[row.length];
        Arrays.setAll(values, i -> row[i]);
        double mean = Arrays.stream(values).average().orElseThrow();
        return Math.sqrt(
                Arrays.stream(values)
                        .map(value -> (value - mean) * (value - mean))
                        .average()
                        .orElseThrow());
    }
}
