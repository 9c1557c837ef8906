package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Samplers that few requests use, on rows whose probabilities are known. */
class AdvancedSamplerTest {
    /** Logits of the probabilities 0.5, 0.25, 0.15, 0.1 of the tokens 0 to 3. */
    private static final float[] FOUR = logs(0.5, 0.25, 0.15, 0.1);

    private static float[] logs(double... probabilities) {
        float[] row = new float[probabilities.length];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) Math.log(probabilities[i]);
        }
        return row;
    }

    private static SamplingOptions options(double... pairs) {
        SamplingValues values = SamplingValues.NONE.withSeed(11);
        for (int i = 0; i < pairs.length; i += 2) {
            values = values.with(SamplingParameter.values()[(int) pairs[i]], pairs[i + 1]);
        }
        return SamplingOptions.of(values, 0, SamplingOptions.Context.NONE);
    }

    private static double of(SamplingParameter parameter) {
        return parameter.ordinal();
    }

    /** Returns the tokens that 2,000 draws choose. */
    private static Set<Integer> drawn(SamplingOptions options, float[] row) {
        Sampler sampler = new Sampler(options, row.length);
        Set<Integer> drawn = new TreeSet<>();
        for (int i = 0; i < 2000; i++) {
            drawn.add(sampler.sample(row, 0));
        }
        return drawn;
    }

    @ParameterizedTest
    @CsvSource({"0.5,0", "1.0,0;1", "1.5,0;1;2", "100,0;1;2;3"})
    void topNSigmaKeepsTokensNearTheHighestLogit(double sigmas, String kept) {
        // Mean 2.5, deviation sqrt(1.25) = 1.118; distances from 4: 0, 1, 1.6 and 3 of them.
        float[] row = {4, 3, 2.4f, 0.6f};

        double mean = (4 + 3 + 2.4 + 0.6) / 4;
        double deviation =
                Math.sqrt(
                        IntStream.range(0, 4).mapToDouble(i -> row[i] - mean).map(d -> d * d).sum()
                                / 4);
        Set<Integer> expected = new TreeSet<>();
        for (int i = 0; i < 4; i++) {
            if (row[i] >= 4 - sigmas * deviation) {
                expected.add(i);
            }
        }
        assertEquals(expected, drawn(options(of(SamplingParameter.TOP_N_SIGMA), sigmas), row));
        assertEquals(kept.split(";").length, expected.size());
    }

    @ParameterizedTest
    // Entropy 1.208; distances of -ln p from it: 0.515, 0.178, 0.689, 1.095.
    @CsvSource({"0.2,1", "0.26,0;1", "0.7,0;1", "0.76,0;1;2", "0.95,0;1;2;3"})
    void typicalSamplingKeepsTokensOfTypicalSurprise(double typical, String kept) {
        Set<Integer> expected = new TreeSet<>();
        for (String token : kept.split(";")) {
            expected.add(Integer.parseInt(token));
        }

        assertEquals(expected, drawn(options(of(SamplingParameter.TYPICAL_P), typical), FOUR));
    }

    @ParameterizedTest
    @CsvSource({"0.2,1;2;3", "0.12,2;3", "0.05,3", "0.3,0;1;2;3", "0.6,0;1;2;3"})
    void xtcDropsAllLikelyTokensButOne(double threshold, String kept) {
        Set<Integer> expected = new TreeSet<>();
        for (String token : kept.split(";")) {
            expected.add(Integer.parseInt(token));
        }

        assertEquals(
                expected,
                drawn(
                        options(
                                of(SamplingParameter.XTC_PROBABILITY),
                                1,
                                of(SamplingParameter.XTC_THRESHOLD),
                                threshold),
                        FOUR));
    }

    @Test
    void xtcHappensAsOftenAsRequested() {
        Sampler sampler =
                new Sampler(
                        options(
                                of(SamplingParameter.XTC_PROBABILITY),
                                0.25,
                                of(SamplingParameter.XTC_THRESHOLD),
                                0.2,
                                of(SamplingParameter.TOP_K),
                                2),
                        4);
        int best = 0;
        for (int i = 0; i < 20_000; i++) {
            best += sampler.sample(FOUR, 0) == 0 ? 1 : 0;
        }

        // 3/4 of the draws choose among both tokens, 2:1, the others the second one.
        assertEquals(0.5, best / 20_000.0, 0.02);
    }

    @Test
    void dryPenalisesTheTokenThatContinuesTheLongestRepetition() {
        LogitAdjustments adjustments =
                new LogitAdjustments(
                        options(
                                of(SamplingParameter.DRY_MULTIPLIER),
                                0.5,
                                of(SamplingParameter.DRY_BASE),
                                2),
                        10,
                        new int[0]);
        // 5 followed "1 2 3", and 4 followed "2 3".
        adjustments.acceptPrompt(new int[] {9, 1, 2, 3, 5, 8, 2, 3, 4, 7, 1, 2, 3});
        float[] row = new float[10];
        adjustments.apply(row);

        float[] expected = new float[10];
        expected[5] = -1;
        expected[4] = -0.5f;
        assertArrayEquals(expected, row);
        assertTrue(adjustments.changesLogits());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void dryFindsWhatASlowSearchFinds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] tokens = random.ints(300, 0, 3).toArray();
        LogitAdjustments adjustments =
                new LogitAdjustments(
                        options(
                                of(SamplingParameter.DRY_MULTIPLIER),
                                0.25,
                                of(SamplingParameter.DRY_BASE),
                                1.5,
                                of(SamplingParameter.DRY_PENALTY_LAST_N),
                                200),
                        3,
                        new int[0]);
        adjustments.acceptPrompt(tokens);
        float[] row = new float[3];
        adjustments.apply(row);

        int[] longest = new int[3];
        for (int end = 101; end < 300; end++) {
            int same = 0;
            while (end - 1 - same >= 100 && tokens[end - 1 - same] == tokens[299 - same]) {
                same++;
            }
            longest[tokens[end]] = Math.max(longest[tokens[end]], same);
        }
        for (int token = 0; token < 3; token++) {
            float penalty =
                    longest[token] < 2 ? 0 : (float) (0.25 * Math.pow(1.5, longest[token] - 2));
            assertEquals(-penalty, row[token], 1e-5f * Math.max(1, penalty));
        }
    }

    @Test
    void mirostatTwoDropsTokensThatSurpriseTooMuch() {
        // Surprises are 1, 2, 2.74 and 3.32 bits; the first limit is twice the target.
        assertEquals(
                Set.of(0, 1),
                drawn(
                        options(
                                of(SamplingParameter.MIROSTAT),
                                2,
                                of(SamplingParameter.MIROSTAT_TAU),
                                1.1),
                        FOUR));
        assertEquals(
                Set.of(0),
                drawn(
                        options(
                                of(SamplingParameter.MIROSTAT),
                                2,
                                of(SamplingParameter.MIROSTAT_TAU),
                                0.1),
                        FOUR));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void mirostatReachesItsTarget(int version) {
        float[] row = new float[4000];
        double total = 0;
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) (-1.1 * Math.log(i + 1.0));
            total += Math.exp(row[i]);
        }
        Sampler sampler =
                new Sampler(
                        options(
                                of(SamplingParameter.MIROSTAT),
                                version,
                                of(SamplingParameter.MIROSTAT_TAU),
                                3),
                        row.length);
        double surprise = 0;
        for (int i = 0; i < 4000; i++) {
            int token = sampler.sample(row, 0);
            sampler.accept(token);
            surprise -= i < 1000 ? 0 : (row[token] - Math.log(total)) / Math.log(2);
        }

        // The surprise among the kept tokens is the target; among all tokens it is greater.
        assertEquals(3, surprise / 3000, 1.5);
    }

    @Test
    void mirostatChangesWithAcceptedTokensOnly() {
        SamplingOptions options =
                options(of(SamplingParameter.MIROSTAT), 2, of(SamplingParameter.MIROSTAT_TAU), 1.1);
        Sampler forced = new Sampler(options, 4);
        Sampler plain = new Sampler(options, 4);
        for (int i = 0; i < 200; i++) {
            int token = plain.sample(FOUR, 0);
            assertEquals(token, forced.sample(FOUR, 0));
            plain.accept(token);
            forced.accept(token);
            // A forced token is accepted without a draw, and has no surprise.
            forced.accept(1);
        }
    }

    @Test
    void tokensThatEndAreDelayed() {
        SamplingOptions options =
                SamplingOptions.greedy()
                        .with(
                                new AdvancedSampling(
                                        -1,
                                        1,
                                        AdvancedSampling.Xtc.OFF,
                                        AdvancedSampling.Dry.OFF,
                                        AdvancedSampling.Mirostat.OFF,
                                        new AdvancedSampling.EndDelay(2, Set.of(0))));
        Sampler sampler = new Sampler(options, 4);

        assertFalse(options.isPlainArgmax());
        for (int i = 0; i < 2; i++) {
            assertEquals(1, sampler.sample(FOUR, 0));
            sampler.accept(1);
        }
        assertEquals(0, sampler.sample(FOUR, 0));
    }

    @Test
    void optionsWithoutTheseSamplersNeedNoWholeRow() {
        assertFalse(
                SamplingOptions.of(SamplingValues.NONE, 0, SamplingOptions.Context.NONE)
                        .needsWholeRow());
        assertTrue(options(of(SamplingParameter.MIROSTAT), 1).needsWholeRow());
        assertEquals(Map.of(), options().logitBias());
    }

    @ParameterizedTest
    @CsvSource({
        "TOP_N_SIGMA,1",
        "TYPICAL_P,0.9",
        "XTC_PROBABILITY,0.5",
        "DRY_MULTIPLIER,0.8",
        "MIROSTAT,2"
    })
    void samplersBesideTopKNeedMoreThanTheBestTokens(SamplingParameter parameter, double value) {
        SamplingOptions bounded = options(of(SamplingParameter.TOP_K), 20);
        SamplingOptions changed = options(of(SamplingParameter.TOP_K), 20, of(parameter), value);

        assertTrue(new Sampler(bounded, 500).choosesAmongTop(20));
        assertFalse(new Sampler(changed, 500).choosesAmongTop(128));
        assertFalse(new Sampler(changed, 500).mayChooseAmongTop(128));
    }

    @Test
    void minPComparesWithTheBestTokenThatTypicalSamplingKept() {
        // Typical sampling drops the first token, and keeps six others of a third of its weight.
        float[] row = logs(0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1);

        Set<Integer> drawn =
                drawn(
                        options(
                                of(SamplingParameter.TYPICAL_P),
                                0.5,
                                of(SamplingParameter.MIN_P),
                                0.4),
                        row);

        assertEquals(6, drawn.size());
        assertFalse(drawn.contains(0));
    }

    @Test
    void typicalSamplingKeepsWhatASortOfAllDistancesKeeps() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 200; round++) {
            double[] weights = random.doubles(40, 0.001, 1).toArray();
            double total = IntStream.range(0, 40).mapToDouble(i -> weights[i]).sum();
            double entropy =
                    IntStream.range(0, 40)
                            .mapToDouble(i -> -weights[i] / total * Math.log(weights[i] / total))
                            .sum();
            int[] order =
                    IntStream.range(0, 40)
                            .boxed()
                            .sorted(
                                    Comparator.comparingDouble(
                                            i -> Math.abs(-Math.log(weights[i] / total) - entropy)))
                            .mapToInt(Integer::intValue)
                            .toArray();
            Candidates candidates = new Candidates();
            float[] row = logs(weights);
            candidates.load(IntStream.range(0, 40).toArray(), row, 40);
            candidates.computeWeights(new WeightFunction(), 0, 1);
            double enough = random.nextDouble(0.05, 0.95);
            candidates.keepTypical(enough);

            double sum = 0;
            int kept = 0;
            while (sum <= enough * total) {
                sum += weights[order[kept++]];
            }
            assertEquals(sum, candidates.totalWeight(), 1e-4 * total, "round " + round);
        }
    }

    @Test
    void choicesAmongSomeTokensDoNotShiftLaterOnes() {
        SamplingOptions options =
                options(
                        of(SamplingParameter.XTC_PROBABILITY),
                        0.5,
                        of(SamplingParameter.XTC_THRESHOLD),
                        0.1);
        Sampler plain = new Sampler(options, 4);
        Sampler masked = new Sampler(options, 4);
        TokenMask all = TokenMask.ofTokens(0, 1, 2, 3);

        for (int i = 0; i < 100; i++) {
            int expected = plain.sample(FOUR, 0);

            assertEquals(expected, masked.sample(FOUR, 0));
            masked.sampleAmong(all, FOUR, 0);
        }
    }

    @Test
    void penaltyOfNoLatestTokensIsNone() {
        SamplingOptions options =
                options(
                        of(SamplingParameter.REPEAT_PENALTY),
                        1.1,
                        of(SamplingParameter.REPEAT_LAST_N),
                        0,
                        of(SamplingParameter.TOP_K),
                        20);

        assertTrue(new Sampler(options, 500).choosesAmongTop(20));
    }
}
