package dev.varve.platform.compression.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Scores of tokens, against the formulas in plain loops. */
class HistoryScorerTest {
    private static final Tokenizer TOKENIZER = TestTokenizers.ofBytes();

    /** Has room for so many tokens, and keeps what it was given. */
    private static final class SmallDrafter implements PrefillDrafter {
        private final int most;
        private final VarveException.Kind kind;
        private final List<int[]> texts = new ArrayList<>();

        SmallDrafter(int most, VarveException.Kind kind) {
            this.most = most;
            this.kind = kind;
        }

        @Override
        public Tokenizer tokenizer() {
            return TOKENIZER;
        }

        @Override
        public String identity() {
            return "small";
        }

        @Override
        public float[] score(int[] tokens, BooleanSupplier cancelled) {
            if (tokens.length > most) {
                throw new VarveException(kind, "no room");
            }
            texts.add(tokens.clone());
            float[] scores = new float[tokens.length];
            for (int i = 0; i < scores.length; i++) {
                scores[i] = tokens[i] % 97;
            }
            return scores;
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }

    private static double[] plain(float[] scores) {
        int count = scores.length;
        double[] smooth = new double[count];
        double mean = 0;
        for (int i = 0; i < count; i++) {
            int from = Math.max(0, i - 6);
            int to = Math.min(count - 1, i + 6);
            for (int j = from; j <= to; j++) {
                smooth[i] += scores[j] / (double) (to - from + 1);
            }
            mean += smooth[i] / count;
        }
        double variance = 0;
        for (double value : smooth) {
            variance += (value - mean) * (value - mean) / count;
        }
        double[] normal = new double[count];
        for (int i = 0; i < count; i++) {
            normal[i] = (smooth[i] - mean) / (Math.sqrt(variance) + 1e-6);
        }
        return normal;
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 12, 13, 14, 64, 1000})
    void scoresAreSmoothedAndStandardized(int count) {
        Random random = new Random(count);
        float[] given = new float[count];
        for (int i = 0; i < count; i++) {
            given[i] = random.nextFloat();
        }

        double[] scores =
                new HistoryScorer(new ScriptedDrafter(TOKENIZER, (ids, at) -> given[at]))
                        .of(new int[count], () -> false);

        // The order of sums differs; float scores have 2^-24 of their own.
        assertArrayEquals(plain(given), scores, 1e-9 * count);
    }

    @Test
    void equalScoresAreZero() {
        assertArrayEquals(
                new double[50],
                new HistoryScorer(new ScriptedDrafter(TOKENIZER, (ids, at) -> 0.25))
                        .of(new int[50], () -> false));
    }

    @Test
    void historyThatDoesNotFitIsScoredInHalves() {
        SmallDrafter drafter = new SmallDrafter(3000, VarveException.Kind.OUT_OF_MEMORY);
        int[] ids = IntStream.range(0, 5001).toArray();

        double[] scores = new HistoryScorer(drafter).of(ids, () -> false);

        int[] left = Arrays.copyOf(ids, 2508);
        System.arraycopy(ids, 4993, left, 2500, 8);
        assertArrayEquals(left, drafter.texts.get(0));
        assertArrayEquals(Arrays.copyOfRange(ids, 2500, 5001), drafter.texts.get(1));
        assertEquals(2, drafter.texts.size());
        assertEquals(5001, scores.length);
        float[] right = new float[2501];
        for (int i = 0; i < right.length; i++) {
            right[i] = ids[2500 + i] % 97;
        }
        assertArrayEquals(plain(right), Arrays.copyOfRange(scores, 2500, 5001), 1e-6);
    }

    @Test
    void failureOfAShorterHistoryOrAnotherReasonIsReported() {
        for (SmallDrafter drafter :
                List.of(
                        new SmallDrafter(100, VarveException.Kind.OUT_OF_MEMORY),
                        new SmallDrafter(100, VarveException.Kind.UNAVAILABLE))) {
            assertThrows(
                    VarveException.class,
                    () -> new HistoryScorer(drafter).of(new int[4096], () -> false));
        }
        SmallDrafter broken = new SmallDrafter(5000, VarveException.Kind.UNAVAILABLE);
        assertThrows(
                VarveException.class,
                () -> new HistoryScorer(broken).of(new int[9000], () -> false));
        assertEquals(List.of(), broken.texts);
    }

    @Test
    void nonFiniteAndShortScoresAreRefused() {
        HistoryScorer scores =
                new HistoryScorer(new ScriptedDrafter(TOKENIZER, (ids, at) -> Double.NaN));

        assertThrows(VarveException.class, () -> scores.of(new int[50], () -> false));
        assertThrows(VarveException.class, () -> scores.of(new int[8], () -> false));
    }
}
