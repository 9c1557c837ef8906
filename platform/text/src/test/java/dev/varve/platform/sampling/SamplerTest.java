package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

final class SamplerTest {
    /**
     * One of each stage alone, and combinations; the vocabulary sizes lie around a block of 512.
     */
    @ParameterizedTest
    @CsvSource({
        // temperature, topK, topP, minP, repetition, presence, frequency
        "1,0,1,0,1,0,0", "0.3,0,1,0,1,0,0", "100,0,1,0,1,0,0", "1,5,1,0,1,0,0", "1,700,1,0,1,0,0",
        "1,0,0.9,0,1,0,0", "1,0,0.3,0,1,0,0", "1,0,0.999,0,1,0,0", "1,0,1,0.05,1,0,0",
                "0.7,20,0.8,0.01,1,0,0",
        "1,0,0.9,0.02,1,0,0", "0,0,1,0,1.3,0,0", "0,0,1,0,1,0.8,0", "0,0,1,0,1,0,-0.9",
                "0,0,1,0,0.5,0,0.3",
        "0.8,40,0.95,0.02,1.2,0.5,-0.4", "50,0,0.9,0,1,0,0", "100,900,0.5,0.9,1,0,0"
    })
    void everySampleMatchesTheDefinition(
            float temperature,
            int topK,
            float topP,
            float minP,
            float repetition,
            float presence,
            float frequency) {
        for (int size : new int[] {1, 2, 511, 513, 2000}) {
            long seed = 31L * size;
            Random random = new Random(seed);
            SamplingOptions options =
                    new SamplingOptions(
                            temperature,
                            new SamplingOptions.Cutoffs(topK, topP, minP),
                            new SamplingOptions.Penalties(repetition, presence, frequency),
                            OptionalLong.of(seed),
                            size > 2 ? Map.of(1, 2.5f, size - 1, -3f) : Map.of());
            Set<Integer> suppressed = size > 2 ? Set.of(0, size / 2) : Set.of();
            List<Integer> prompt = random.ints(300, 0, size).boxed().toList();
            Sampler sampler = new Sampler(options, size, ints(suppressed));
            sampler.acceptPrompt(ints(prompt));
            SplittableRandom uniforms = new SplittableRandom(seed);
            List<Integer> generated = new ArrayList<>();

            for (int step = 0; step < Effort.of(20, 60); step++) {
                float[] logits = gaussian(size + 7, 3, random);
                float[] before = logits.clone();
                float[] row = Arrays.copyOfRange(logits, 4, 4 + size);

                int actual = sampler.sample(logits, 4);

                double uniform = temperature == 0 ? 0 : (uniforms.nextLong() >>> 11) * 0x1p-53;
                double[] expected =
                        PlainSampling.distribution(row, options, prompt, generated, suppressed);
                String where = options + ", size " + size + ", step " + step;
                assertEquals(PlainSampling.draw(expected, uniform), actual, where);
                assertArrayEquals(before, logits, where);
                sampler.accept(actual);
                generated.add(actual);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1,0,1,0", "0.6,0,0.8,0", "1,6,1,0", "2,0,1,0.2"})
    void frequenciesFollowTheDistribution(float temperature, int topK, float topP, float minP) {
        SamplingOptions options =
                new SamplingOptions(
                        temperature,
                        new SamplingOptions.Cutoffs(topK, topP, minP),
                        SamplingOptions.Penalties.NONE,
                        OptionalLong.of(99),
                        Map.of());
        float[] row = gaussian(12, 1.5, new Random(5));
        double[] expected =
                PlainSampling.distribution(row, options, List.of(), List.of(), Set.of());
        Sampler sampler = new Sampler(options, row.length);
        int draws = Effort.of(50_000, 200_000);
        int[] found = new int[row.length];

        for (int i = 0; i < draws; i++) {
            found[sampler.sample(row, 0)]++;
        }

        double chiSquare = 0;
        for (int token = 0; token < row.length; token++) {
            if (expected[token] == 0) {
                assertEquals(0, found[token], "token " + token + " was filtered out");
            } else {
                chiSquare +=
                        Math.pow(found[token] - draws * expected[token], 2)
                                / (draws * expected[token]);
            }
        }
        // 31.26 is the 99.9% quantile for 11 degrees of freedom, which is the most there are here
        assertTrue(chiSquare < 31.26, "chi square " + chiSquare + " for " + Arrays.toString(found));
    }

    @Test
    void lowestIdWinsATie() {
        float[] row = {0, 3, -1, 3, 3};

        assertEquals(1, Sampler.argmax(row, 0, 5));
        assertEquals(1, Sampler.argmax(row, 2, 3));
        assertEquals(1, sampler(options(1, 1, 1, 0), 5).sample(row, 0));
    }

    @Test
    void zerosOfEitherSignTie() {
        assertEquals(0, Sampler.argmax(new float[] {-0f, 0f}, 0, 2));
        assertEquals(0, Sampler.argmax(new float[] {0f, -0f}, 0, 2));
        assertEquals(Candidates.sortKey(0f), Candidates.sortKey(-0f));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 511, 512, 513, 1024, 5000})
    void argmaxFindsTheHighestAnywhere(int size) {
        for (int place = 0; place < size; place += Math.max(1, size / 97)) {
            float[] row = gaussian(size + 3, 1, new Random(place));
            row[0] = 1000;
            row[3 + place] = 999;

            int actual = Sampler.argmax(row, 3, size);

            assertEquals(place, actual, "size " + size);
        }
    }

    /** Four equal tokens: two of them hold exactly half of the mass. */
    @Test
    void topPKeepsTheTokenThatReachesItAndNoMore() {
        float[] row = {5, 5, 5, 5};

        assertEquals(Set.of(0, 1), chosen(options(1, 0, 0.5f, 0), row));
        assertEquals(Set.of(0, 1, 2), chosen(options(1, 0, Math.nextUp(0.5f), 0), row));
    }

    @Test
    void topKOfOneAndMinPOfOneAndTinyTemperaturesAreTheArgmax() {
        Random random = new Random(8);
        for (int round = 0; round < 50; round++) {
            float[] row = gaussian(3000, 2, random);
            int best = Sampler.argmax(row, 0, row.length);

            assertEquals(best, sampler(options(100, 1, 1, 0), row.length).sample(row, 0));
            assertEquals(best, sampler(options(100, 0, 1, 1), row.length).sample(row, 0));
            assertEquals(
                    best, sampler(options(100, 0, Float.MIN_VALUE, 0), row.length).sample(row, 0));
            assertEquals(
                    best, sampler(options(Float.MIN_VALUE, 0, 1, 0), row.length).sample(row, 0));
        }
    }

    @Test
    void minPOfOneDistinguishesAdjacentFloats() {
        float[] row = {Math.nextDown(0.1f), 0.1f, Math.nextDown(0.1f)};

        assertEquals(Set.of(1), chosen(options(1, 0, 1, 1), row));
    }

    @Test
    void negativeFrequencyPenaltyRaisesAToken() {
        SamplingOptions options =
                new SamplingOptions(
                        0,
                        SamplingOptions.Cutoffs.NONE,
                        new SamplingOptions.Penalties(1, 0, -1),
                        OptionalLong.empty(),
                        Map.of());
        Sampler sampler = new Sampler(options, 3);
        float[] row = {1.5f, 0, 0};

        sampler.accept(2);
        int afterOne = sampler.sample(row, 0);
        sampler.accept(2);
        int afterTwo = sampler.sample(row, 0);

        assertEquals(0, afterOne);
        assertEquals(2, afterTwo);
    }

    @Test
    void promptCountsForRepetitionOnly() {
        float[] row = {2, 1.5f};
        Sampler repetition =
                new Sampler(
                        new SamplingOptions(
                                0,
                                SamplingOptions.Cutoffs.NONE,
                                new SamplingOptions.Penalties(2, 0, 0),
                                OptionalLong.empty(),
                                Map.of()),
                        2);
        Sampler presence =
                new Sampler(
                        new SamplingOptions(
                                0,
                                SamplingOptions.Cutoffs.NONE,
                                new SamplingOptions.Penalties(1, 1, 1),
                                OptionalLong.empty(),
                                Map.of()),
                        2);

        repetition.acceptPrompt(new int[] {0});
        presence.acceptPrompt(new int[] {0});

        assertEquals(1, repetition.sample(row, 0));
        assertEquals(0, presence.sample(row, 0));
    }

    @Test
    void repetitionPenaltyIgnoresTokensBeyond256() {
        float[] row = {2, 1.5f, -9};
        Sampler sampler =
                new Sampler(
                        new SamplingOptions(
                                0,
                                SamplingOptions.Cutoffs.NONE,
                                new SamplingOptions.Penalties(2, 0, 0),
                                OptionalLong.empty(),
                                Map.of()),
                        3);
        sampler.acceptPrompt(new int[] {0});
        IntStream.range(0, 255).forEach(i -> sampler.accept(2));

        int within = sampler.sample(row, 0);
        sampler.accept(2);
        int beyond = sampler.sample(row, 0);

        assertEquals(1, within);
        assertEquals(0, beyond);
    }

    @Test
    void countsOfManyDistinctTokensAreKept() {
        TokenCounts counts = new TokenCounts();
        for (int i = 0; i < 30_000; i++) {
            counts.add(i % 10_000 * 8);
        }

        Map<Integer, Integer> found = new HashMap<>();
        counts.forEach(found::put);

        assertEquals(10_000, found.size());
        assertEquals(Set.of(3), Set.copyOf(found.values()));
    }

    @Test
    void suppressedTokensAreNeverSampled() {
        float[] row = {9, 8, 7, 6};
        int[] suppressed = {0, 2};

        assertEquals(1, new Sampler(SamplingOptions.greedy(), 4, suppressed).sample(row, 0));
        Sampler sampler = new Sampler(options(100, 0, 1, 0), 4, suppressed);
        for (int i = 0; i < 500; i++) {
            int token = sampler.sample(row, 0);
            assertTrue(token == 1 || token == 3, "chose " + token);
        }
    }

    /** Rows of few distinct logits, so that many tokens tie, and rows of distinct ones. */
    @ParameterizedTest
    @CsvSource({
        "1,20,1,0,2000",
        "0.7,20,0.95,0,2000",
        "0.7,40,0.9,0.05,2000",
        "1.5,126,0.5,0,2000",
        "0.3,1,0.9,0,2000",
        "100,64,0.99,0.2,130",
        "1,20,0.8,0,513"
    })
    void theBestTokensGiveTheChoiceOfTheWholeRow(
            float temperature, int topK, float topP, float minP, int size) {
        for (int steps : new int[] {0, 3, 40}) {
            Random random = new Random(17L * size + steps);
            int[] suppressed = {3, size - 1};
            SamplingOptions options = options(temperature, topK, topP, minP);
            Sampler whole = new Sampler(options, size, suppressed);
            Sampler among = new Sampler(options, size, suppressed);
            for (int step = 0; step < Effort.of(60, 200); step++) {
                float[] row = gaussian(size, 3, random);
                for (int i = 0; i < size && steps > 0; i++) {
                    row[i] = Math.round(row[i] * steps) / (float) steps;
                }
                int[] ids = best(row, 128);
                float[] logits = logitsOf(row, ids);

                int actual = among.sampleTop(ids, logits);

                assertEquals(
                        whole.sample(row, 0), actual, options + ", steps " + steps + ", " + step);
            }
        }
    }

    /** Ids of the best tokens, ascending; of equal ones those with the lowest ids. */
    static int[] best(float[] row, int count) {
        float[] ascending = row.clone();
        Arrays.sort(ascending);
        float least = ascending[row.length - count];
        int[] above = IntStream.range(0, row.length).filter(id -> row[id] > least).toArray();
        IntStream ties =
                IntStream.range(0, row.length)
                        .filter(id -> row[id] == least)
                        .limit(count - above.length);
        return IntStream.concat(Arrays.stream(above), ties).sorted().toArray();
    }

    @Test
    void onlyBoundedChoicesWithoutPenaltiesAreMadeAmongTheBestTokens() {
        SamplingOptions bounded = options(1, 20, 0.9f, 0);

        assertTrue(sampler(bounded, 500).choosesAmongTop(20));
        assertFalse(sampler(bounded, 500).choosesAmongTop(19));
        assertFalse(new Sampler(bounded, 500, new int[] {4}).choosesAmongTop(20));
        assertFalse(sampler(options(1, 0, 0.9f, 0), 500).choosesAmongTop(128));
        assertFalse(sampler(options(0, 20, 1, 0), 500).choosesAmongTop(128));
        assertFalse(sampler(bounded.biased(Map.of(3, 1f)), 500).choosesAmongTop(128));
        assertFalse(
                sampler(
                                new SamplingOptions(
                                        1,
                                        bounded.cutoffs(),
                                        new SamplingOptions.Penalties(1, 0.5f, 0),
                                        OptionalLong.of(1),
                                        Map.of()),
                                500)
                        .choosesAmongTop(128));
    }

    @ParameterizedTest
    @CsvSource({
        // temperature, topK, topP, minP, repetition, presence, frequency, decided
        "0,0,1,0,1.3,0,0,true", "0,0,1,0,1,1.5,0,true", "0,5,0.9,0.1,1.1,0.5,0.4,true",
        "0.7,20,0.8,0,1,1.5,0,true", "0.7,20,0.8,0.05,1.2,0,0.3,true", "1,64,1,0,1.5,2,1,true",
        "0.5,0,1,0.05,1,0,0,true", "0.9,0,1,0.1,1.2,1,0,true", "1,128,1,0,1,0.5,0,true",
        "5,0,1,0.01,1,0,0,false"
    })
    void decisiveBestTokensGiveTheChoiceOfTheWholeRow(
            float temperature,
            int topK,
            float topP,
            float minP,
            float repetition,
            float presence,
            float frequency,
            boolean decided) {
        int size = 2000;
        Random random = new Random(17);
        SamplingOptions options =
                new SamplingOptions(
                        temperature,
                        new SamplingOptions.Cutoffs(topK, topP, minP),
                        new SamplingOptions.Penalties(repetition, presence, frequency),
                        OptionalLong.of(3),
                        Map.of(4, -3f, 5, -0.5f));
        Sampler whole = new Sampler(options, size, new int[] {3, size - 1});
        Sampler among = new Sampler(options, size, new int[] {3, size - 1});
        assertTrue(among.mayChooseAmongTop(128));
        int decisions = 0;
        for (int step = 0; step < 60; step++) {
            // Few distinct logits above the bound, so that tokens tie.
            float[] row = gaussian(size, 3, random);
            for (int i = 0; i < size; i++) {
                row[i] = row[i] > 5 ? Math.round(row[i]) : row[i];
            }
            row[step % 2 == 0 ? 4 : 3] = 20;
            int[] ids = best(row, 128);
            float[] logits = logitsOf(row, ids);
            boolean decides = among.isDecidedByTop(token -> true, ids, logits);
            decisions += decides ? 1 : 0;
            int preview = decides ? among.previewTop(ids, logits) : -1;

            int actual = decides ? among.sampleTop(ids, logits) : among.sample(row, 0);

            int expected = whole.sample(row, 0);
            assertEquals(expected, actual, options + ", step " + step);
            assertEquals(decides ? expected : -1, preview);
            whole.accept(expected);
            among.accept(expected);
        }
        assertEquals(decided, decisions > 0, decisions + " of 60 rows were decided");
    }

    static float[] logitsOf(float[] row, int[] ids) {
        float[] logits = new float[ids.length];
        for (int i = 0; i < ids.length; i++) {
            logits[i] = row[ids[i]];
        }
        return logits;
    }

    @Test
    void loweredTokensDecideNothingBelowTheOthers() {
        float[] logits = new float[128];
        int[] ids = new int[128];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = i;
            logits[i] = 10;
        }
        SamplingOptions greedy =
                new SamplingOptions(
                        0,
                        SamplingOptions.Cutoffs.NONE,
                        new SamplingOptions.Penalties(2, -1, 0, 0),
                        OptionalLong.of(1),
                        Map.of());
        Sampler sampler = new Sampler(greedy, 500);

        sampler.acceptPrompt(IntStream.range(0, 127).toArray());
        assertEquals(127, sampler.sampleTop(ids, logits));

        sampler.acceptPrompt(new int[] {127});
        assertFalse(sampler.isDecidedByTop(token -> true, ids, logits));
        assertThrows(IllegalArgumentException.class, () -> sampler.sampleTop(ids, logits));
    }

    @Test
    void raisedLogitsNeedTheWholeRow() {
        SamplingOptions greedy = SamplingOptions.greedy();

        assertTrue(sampler(greedy, 500).mayChooseAmongTop(128));
        assertTrue(sampler(greedy.biased(Map.of(3, -1f)), 500).mayChooseAmongTop(128));
        assertFalse(sampler(greedy.biased(Map.of(3, 1f)), 500).mayChooseAmongTop(128));
        assertFalse(sampler(options(1, 0, 0.9f, 0), 500).mayChooseAmongTop(128));
        assertFalse(sampler(options(1, 0, 0.9f, 0.1f), 500).mayChooseAmongTop(128));
        assertFalse(sampler(options(1, 129, 1, 0), 500).mayChooseAmongTop(128));
        for (SamplingOptions.Penalties raising :
                List.of(
                        new SamplingOptions.Penalties(0.9f, 0, 0),
                        new SamplingOptions.Penalties(1, -1, 0),
                        new SamplingOptions.Penalties(1, 0, -1))) {
            SamplingOptions options =
                    new SamplingOptions(
                            0, SamplingOptions.Cutoffs.NONE, raising, OptionalLong.of(1), Map.of());
            assertFalse(sampler(options, 500).mayChooseAmongTop(128), raising.toString());
        }
    }

    @Test
    void seedDeterminesTheTokens() {
        float[] row = new float[1000];

        assertEquals(run(4, row), run(4, row));
        assertNotEquals(run(4, row), run(5, row));
        assertEquals(List.of(431, 892, 859, 491), run(4, row).subList(0, 4));
    }

    @Test
    void filtersDoNotChangeTheNumberOfRandomNumbersPerToken() {
        Sampler sampler = sampler(options(1, 1, 1, 0), 2);
        SplittableRandom uniforms = new SplittableRandom(1);
        float[] row = {0, 1};
        sampler.sample(row, 0);
        uniforms.nextLong();

        Sampler free = sampler(options(1, 0, 1, 0), 1000);
        free.sample(new float[1000], 0);
        int second = free.sample(new float[1000], 0);

        assertEquals((int) ((uniforms.nextLong() >>> 11) * 0x1p-53 * 1000), second);
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY})
    void rowWithANanIsABackendFailure(float bad) {
        for (int place : new int[] {0, 600, 1299}) {
            float[] row = gaussian(1300, 1, new Random(place));
            row[place] = bad;
            assertBackendFailure(row);
        }
    }

    @Test
    void rowWithoutAnyFiniteLogitIsABackendFailure() {
        float[] row = new float[700];
        Arrays.fill(row, Float.NEGATIVE_INFINITY);

        assertBackendFailure(row);
    }

    @Test
    void minusInfinityIsNeverSampled() {
        float[] row = new float[2000];
        Arrays.fill(row, Float.NEGATIVE_INFINITY);
        row[1500] = -5;

        for (SamplingOptions options :
                List.of(
                        SamplingOptions.greedy(),
                        options(100, 0, 1, 0),
                        options(1, 30, 0.9f, 0),
                        options(1, 1000, 1, 0.1f))) {
            assertEquals(1500, new Sampler(options, 2000).sample(row, 0), options.toString());
        }
    }

    @Test
    void biasOutsideTheVocabularyIsAnInvalidRequest() {
        for (Map<Integer, Float> bias :
                List.of(Map.of(5, 1f), Map.of(-1, 1f), Map.of(2, Float.NaN))) {
            SamplingOptions options =
                    new SamplingOptions(
                            0,
                            SamplingOptions.Cutoffs.NONE,
                            SamplingOptions.Penalties.NONE,
                            OptionalLong.empty(),
                            bias);

            VarveException thrown =
                    assertThrows(VarveException.class, () -> new Sampler(options, 5));

            assertEquals(VarveException.Kind.INVALID_REQUEST, thrown.kind());
            assertTrue(thrown.getMessage().contains("logit_bias"), thrown.getMessage());
        }
    }

    @Test
    void rowsAndTokensOutOfBoundsAreRefused() {
        Sampler sampler = sampler(options(1, 0, 1, 0), 5);

        assertThrows(IndexOutOfBoundsException.class, () -> sampler.sample(new float[9], 5));
        assertThrows(IndexOutOfBoundsException.class, () -> sampler.accept(5));
        assertThrows(IndexOutOfBoundsException.class, () -> sampler.acceptPrompt(new int[] {-1}));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> new Sampler(SamplingOptions.greedy(), 5, new int[] {5}));
    }

    private static void assertBackendFailure(float[] row) {
        for (SamplingOptions options :
                List.of(SamplingOptions.greedy(), options(1, 0, 1, 0), options(1, 3, 0.5f, 0))) {
            Sampler sampler = new Sampler(options, row.length);
            for (var call :
                    List.<Runnable>of(
                            () -> sampler.sample(row, 0),
                            () -> sampler.logprobs(row, 0, 0, 2),
                            () -> Sampler.argmax(row, 0, row.length))) {
                VarveException thrown = assertThrows(VarveException.class, call::run);
                assertEquals(VarveException.Kind.BACKEND_FAILED, thrown.kind());
                assertTrue(
                        thrown.getMessage().contains("a logit that is not a number"),
                        thrown.getMessage());
            }
        }
    }

    private static List<Integer> run(long seed, float[] row) {
        Sampler sampler =
                new Sampler(
                        new SamplingOptions(
                                1,
                                SamplingOptions.Cutoffs.NONE,
                                SamplingOptions.Penalties.NONE,
                                OptionalLong.of(seed),
                                Map.of()),
                        row.length);
        return IntStream.range(0, 50).mapToObj(i -> sampler.sample(row, 0)).toList();
    }

    private static Set<Integer> chosen(SamplingOptions options, float[] row) {
        Sampler sampler = new Sampler(options, row.length);
        return Set.copyOf(IntStream.range(0, 300).mapToObj(i -> sampler.sample(row, 0)).toList());
    }

    private static Sampler sampler(SamplingOptions options, int size) {
        return new Sampler(options, size);
    }

    private static SamplingOptions options(float temperature, int topK, float topP, float minP) {
        return new SamplingOptions(
                temperature,
                new SamplingOptions.Cutoffs(topK, topP, minP),
                SamplingOptions.Penalties.NONE,
                OptionalLong.of(1),
                Map.of());
    }

    private static int[] ints(Collection<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    static float[] gaussian(int length, double deviation, Random random) {
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
            values[i] = (float) (random.nextGaussian() * deviation);
        }
        return values;
    }
}
