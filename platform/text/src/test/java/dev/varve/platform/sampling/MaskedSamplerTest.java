package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

final class MaskedSamplerTest {
    private static final int DRAWS = Effort.of(15_000, 40_000);

    private static SamplingOptions options(
            float temperature, int topK, float topP, float minP, long seed) {
        return new SamplingOptions(
                temperature,
                new SamplingOptions.Cutoffs(topK, topP, minP),
                SamplingOptions.Penalties.NONE,
                OptionalLong.of(seed),
                Map.of());
    }

    /** As an engine chooses. */
    private static int choose(Sampler sampler, TokenMask mask, float[] logits, int offset) {
        int free = sampler.sample(logits, offset);
        return mask.allows(free) ? free : sampler.sampleAmong(mask, logits, offset);
    }

    private static int[] some(int size, double share, Random random) {
        return IntStream.range(0, size).filter(i -> random.nextDouble() < share).toArray();
    }

    private static Set<Integer> others(int size, TokenMask mask) {
        Set<Integer> others = new HashSet<>();
        IntStream.range(0, size).filter(i -> !mask.allows(i)).forEach(others::add);
        return others;
    }

    /** Sizes around a word of a mask, and around a block of logits. */
    @ParameterizedTest
    @ValueSource(ints = {2, 63, 64, 65, 511, 513, 2000})
    void bestAllowedTokenMatchesTheDefinition(int size) {
        Random random = new Random(size);
        for (float repetition : new float[] {1, 1.3f}) {
            SamplingOptions options =
                    new SamplingOptions(
                            0,
                            SamplingOptions.Cutoffs.NONE,
                            new SamplingOptions.Penalties(repetition, 0, 0),
                            OptionalLong.of(1),
                            repetition == 1 ? Map.of() : Map.of(0, 2f, size - 1, -1.5f));
            Set<Integer> suppressed = Set.of(size / 2);
            Sampler sampler = new Sampler(options, size, new int[] {size / 2});
            List<Integer> prompt = random.ints(100, 0, size).boxed().toList();
            sampler.acceptPrompt(prompt.stream().mapToInt(i -> i).toArray());
            for (int step = 0; step < Effort.of(25, 200); step++) {
                float[] logits = SamplerTest.gaussian(size + 7, 3, random);
                // Few values, so that many tie.
                IntStream.range(0, logits.length).forEach(i -> logits[i] = Math.round(logits[i]));
                float[] before = logits.clone();
                // Often few, which are looked at alone.
                int[] some = some(size, Math.pow(random.nextDouble(), 3), random);
                TokenMask mask = TokenMask.ofTokens(some);
                Set<Integer> forbidden = others(size, mask);
                forbidden.addAll(suppressed);
                if (forbidden.size() == size) {
                    continue;
                }
                float[] row = Arrays.copyOfRange(logits, 4, 4 + size);
                double[] expected =
                        PlainSampling.distribution(row, options, prompt, List.of(), forbidden);

                int actual = choose(sampler, mask, logits, 4);

                assertEquals(1, expected[actual], "size " + size + ", step " + step);
                assertArrayEquals(before, logits);
            }
        }
    }

    /**
     * Chi-square of all tokens that may come, with a seed: its mean is the degrees of freedom, its
     * deviation their double's root, and five deviations are allowed.
     */
    @ParameterizedTest
    @CsvSource({
        // share that is allowed, temperature, topK, topP, minP
        "0.5,1,0,1,0",
        "0.1,1,0,1,0",
        "0.9,0.7,0,1,0",
        "0.5,2,0,1,0",
        "0.5,1,5,1,0",
        "0.5,1,0,0.8,0",
        "0.5,1,0,1,0.1",
        "0.1,1,4,0.9,0.05",
        "0.3,1,700,0.9,0",
        "0.01,1,0,1,0",
        "0.01,0.7,4,0.9,0.05"
    })
    @ByDay({1, 3, 8, 9})
    void samplesFollowTheDistributionWithinTheMask(
            double share, float temperature, int topK, float topP, float minP) {
        int size = share < 0.05 ? 2000 : 60;
        Random random = new Random(7);
        float[] row = SamplerTest.gaussian(size, 1.5, random);
        TokenMask mask = TokenMask.ofTokens(some(size, share, random));
        SamplingOptions options = options(temperature, topK, topP, minP, 99);
        double[] free = PlainSampling.distribution(row, options, List.of(), List.of(), Set.of());
        double[] within =
                PlainSampling.distribution(row, options, List.of(), List.of(), others(size, mask));
        double rejected =
                IntStream.range(0, size)
                        .filter(token -> !mask.allows(token))
                        .mapToDouble(token -> free[token])
                        .sum();
        int[] counts = new int[size];
        Sampler sampler = new Sampler(options, size);

        IntStream.range(0, DRAWS).forEach(i -> counts[choose(sampler, mask, row, 0)]++);

        double square = 0;
        int cells = 0;
        for (int token = 0; token < size; token++) {
            double expected =
                    DRAWS * (mask.allows(token) ? free[token] + rejected * within[token] : 0);
            if (expected == 0) {
                assertEquals(0, counts[token], "token " + token);
            } else {
                square += (counts[token] - expected) * (counts[token] - expected) / expected;
                cells++;
            }
            if (topK == 0 && topP == 1 && minP == 0) {
                // The expected distribution is the model's own one within the mask.
                assertEquals(DRAWS * within[token], expected, 1e-6 * DRAWS);
            }
        }
        double freedom = Math.max(1, cells - 1);
        assertTrue(
                square < freedom + 5 * Math.sqrt(2 * freedom),
                "chi-square " + square + " of " + cells + " tokens");
    }

    @Test
    void maskedSamplesDoNotShiftLaterRandomNumbers() {
        float[] row = SamplerTest.gaussian(100, 2, new Random(1));
        Sampler free = new Sampler(options(1, 0, 1, 0, 5), row.length);
        Sampler masked = new Sampler(options(1, 0, 1, 0, 5), row.length);
        List<Integer> expected = IntStream.range(0, 50).mapToObj(i -> free.sample(row, 0)).toList();

        List<Integer> actual =
                IntStream.range(0, 50)
                        .mapToObj(
                                i -> {
                                    int token = masked.sample(row, 0);
                                    masked.sampleAmong(TokenMask.ofTokens(3, 70), row, 0);
                                    return token;
                                })
                        .toList();

        assertEquals(expected, actual);
    }

    @ParameterizedTest
    @ValueSource(floats = {0, 1})
    void maskWithoutASampleableTokenIsRefused(float temperature) {
        float[] row = {1, 2, Float.NEGATIVE_INFINITY, 3};
        Sampler sampler = new Sampler(options(temperature, 0, 1, 0, 1), row.length, new int[] {1});
        for (TokenMask mask :
                List.of(
                        TokenMask.ofTokens(),
                        TokenMask.ofTokens(1),
                        TokenMask.ofTokens(1, 2),
                        TokenMask.ofTokens(2),
                        TokenMask.ofTokens(4, 400))) {
            VarveException thrown =
                    assertThrows(VarveException.class, () -> sampler.sampleAmong(mask, row, 0));

            assertEquals(VarveException.Kind.INVALID_REQUEST, thrown.kind());
            String number = "none of the " + mask.cardinality() + " permitted tokens";
            assertTrue(thrown.getMessage().contains(number), thrown.getMessage());
        }
    }

    @Test
    void maskIsTheSetOfItsTokens() {
        TokenMask mask = TokenMask.of(new long[] {1L << 63 | 1, 0, 2, 0});
        TokenMask moved = TokenMask.of(new long[] {0b11}, new int[] {0, 2, 1}, new int[] {0, 2, 1});

        assertEquals(3, mask.cardinality());
        assertFalse(mask.isEmpty());
        assertTrue(TokenMask.ofTokens().isEmpty());
        assertArrayEquals(new int[] {0, 63, 129}, mask.few(3).orElseThrow());
        assertTrue(mask.few(2).isEmpty());
        assertArrayEquals(new int[] {0, 2}, moved.few(3).orElseThrow());
        for (int token = -70; token < 400; token++) {
            boolean expected = token == 0 || token == 63 || token == 129;
            assertEquals(expected, mask.allows(token));
            assertEquals(expected, TokenMask.ofTokens(129, 63, 0).allows(token));
            assertEquals(expected || token == 300, mask.with(300).allows(token));
            assertEquals(token == 0 || token == 2, moved.allows(token));
            assertEquals(token >= 0 && token < 3, moved.with(1).allows(token));
        }
    }

    /** Masks of a few tokens, of many and of nearly all. */
    @ParameterizedTest
    @CsvSource({"0,0,1,0", "0.7,20,0.9,0", "1,1,1,0.1", "0.6,0,1,0.2"})
    void decisiveBestTokensGiveTheChoiceOfTheWholeMaskedRow(
            float temperature, int topK, float topP, float minP) {
        int size = 2000;
        Random random = new Random(5);
        SamplingOptions options =
                new SamplingOptions(
                        temperature,
                        new SamplingOptions.Cutoffs(topK, topP, minP),
                        new SamplingOptions.Penalties(1.1f, 0.5f, 0),
                        OptionalLong.of(9),
                        Map.of());
        Sampler whole = new Sampler(options, size, new int[] {7});
        Sampler among = new Sampler(options, size, new int[] {7});
        int masked = 0;
        int wholeRows = 0;
        for (int step = 0; step < 200; step++) {
            float[] row = SamplerTest.gaussian(size, 3, random);
            TokenMask mask =
                    TokenMask.ofTokens(
                            some(size, new double[] {0.01, 0.3, 0.95}[step % 3], random));
            int[] ids = SamplerTest.best(row, 128);
            float[] logits = SamplerTest.logitsOf(row, ids);
            int expected = choose(whole, mask, row, 0);
            int actual;
            if (!among.isDecidedByTop(token -> true, ids, logits)
                    || !mask.allows(among.previewTop(ids, logits))
                            && !among.isDecidedByTop(mask::allows, ids, logits)) {
                wholeRows++;
                actual = choose(among, mask, row, 0);
            } else {
                actual = among.sampleTop(ids, logits);
                if (!mask.allows(actual)) {
                    masked++;
                    actual = among.sampleTopAmong(mask, ids, logits);
                }
            }
            assertEquals(expected, actual, "step " + step);
            whole.accept(expected);
            among.accept(expected);
        }
        assertTrue(masked > 20, masked + " masked choices among the best tokens");
        assertTrue(wholeRows > 0, "no choice needed the whole row");
    }

    @Test
    void bestTokensOutsideTheMaskDecideNothing() {
        Sampler sampler = new Sampler(SamplingOptions.greedy(), 500);
        int[] ids = {1, 2, 3};
        float[] logits = {5, 4, 3};

        assertFalse(sampler.isDecidedByTop(token -> token > 3, ids, logits));
        assertEquals(3, sampler.sampleTopAmong(TokenMask.ofTokens(3, 4), ids, logits));
        assertThrows(
                IllegalArgumentException.class,
                () -> sampler.sampleTopAmong(TokenMask.ofTokens(4), ids, logits));
    }
}
