package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;

/** The properties that libllama must find in every random model. */
final class ModelChecks {
    private static final OracleOptions OPTIONS = OracleOptions.defaults().withContext(512);

    private ModelChecks() {}

    static float[][] logits(Path file, int[] tokens) {
        try (Oracle oracle = Oracle.open(file, OPTIONS)) {
            return oracle.logits(tokens);
        }
    }

    static int[] tokenize(Path file, String text) {
        try (Oracle oracle = Oracle.open(file, OPTIONS)) {
            return oracle.tokenize(text, true, true);
        }
    }

    static int[] greedy(Path file, int[] prompt, int count) {
        try (Oracle oracle = Oracle.open(file, OPTIONS)) {
            return oracle.greedy(prompt, count);
        }
    }

    /**
     * Asserts that logits spread as they should at every position, and that the last ones depend on
     * the last token and on those before it.
     *
     * @param tokens below 256
     */
    static void assertWellBehaved(Path file, int vocabulary, int[] tokens) {
        int last = tokens.length - 1;
        int[] otherToken = tokens.clone();
        otherToken[last] = (tokens[last] + 101) % 256;
        int[] otherContext = Arrays.stream(tokens).map(token -> (token + 101) % 256).toArray();
        otherContext[last] = tokens[last];
        try (Oracle oracle = Oracle.open(file, OPTIONS)) {
            float[][] rows = oracle.logits(tokens);
            for (float[] row : rows) {
                assertEquals(vocabulary, row.length);
                double deviation = deviation(row);
                assertTrue(deviation > 2 && deviation < 8, file + ": deviation " + deviation);
            }
            double byToken = distance(rows[last], oracle.lastLogits(otherToken));
            double byContext = distance(rows[last], oracle.lastLogits(otherContext));
            assertTrue(byToken > 0.7 && byToken < 2, file + ": token moves by " + byToken);
            assertTrue(byContext > 0.2 && byContext < 1.5, file + ": context by " + byContext);
        }
    }

    /** Asserts that two files differ by more than rounding. */
    static void assertDiffer(Path first, Path second, int[] tokens) {
        double distance = Comparison.worstRelativeL2(logits(first, tokens), logits(second, tokens));
        assertTrue(distance > 0.02 && Double.isFinite(distance), "distance " + distance);
    }

    static double deviation(float[] row) {
        double[] values = new double[row.length];
        Arrays.setAll(values, i -> row[i]);
        double mean = Arrays.stream(values).average().orElseThrow();
        return Math.sqrt(
                Arrays.stream(values)
                        .map(value -> (value - mean) * (value - mean))
                        .average()
                        .orElseThrow());
    }

    private static double distance(float[] expected, float[] actual) {
        return Comparison.worstRelativeL2(new float[][] {expected}, new float[][] {actual});
    }
}
