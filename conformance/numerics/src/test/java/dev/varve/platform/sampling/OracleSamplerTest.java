package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.conformance.DemoModel;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.OracleSampler;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The samplers against those of libllama, on random rows. A draw of ours depends on a number from 0
 * to 1 alone; the tokens divide that interval in the order of their ids, each with its probability.
 * Limits lie halfway between two tokens, so that no rounding decides which one is kept.
 */
class OracleSamplerTest {
    private static final int VOCABULARY = 96;
    private static final int DRAWS = 400;

    /** Draws this close to the boundary of two tokens are not compared. */
    private static final double EDGE = 1e-5;

    private static final float TEMPERATURE = 0.7f;

    /** More tokens than a test has; libllama itself does not read -1 as all. */
    private static final int ALL = 1000;

    /** Tokens that libllama keeps, with logits at the temperature. */
    private TreeMap<Integer, Float> kept = new TreeMap<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void topNSigmaKeepsTheTokensOfLibllama(long seed) {
        float[] row = row(seed);
        begin(row);
        double deviation = deviation();
        double highest = byProbability().getFirst().getValue();
        double limit = halfway(20, entry -> (highest - entry.getValue()) / deviation);
        keep(OracleSampler.topNSigma((float) limit));

        assertEquals(20, kept.size());
        compare(row, value(SamplingParameter.TOP_N_SIGMA, limit));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void topKTopPAndMinPKeepTheTokensOfLibllama(long seed) {
        float[] row = row(seed);
        begin(row);
        keep(OracleSampler.topK(50));
        double enough = halfwaySum(30, byProbability());
        keep(OracleSampler.topP((float) enough));
        double highest = kept.values().stream().max(Float::compare).orElseThrow();
        double least = Math.exp(-halfway(15, entry -> highest - entry.getValue()));
        keep(OracleSampler.minP((float) least));

        assertEquals(15, kept.size());
        compare(
                row,
                value(SamplingParameter.TOP_K, 50)
                        .with(SamplingParameter.TOP_P, enough)
                        .with(SamplingParameter.MIN_P, least)
                        // Needs the whole row, but keeps all tokens.
                        .with(SamplingParameter.TOP_N_SIGMA, 100));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void typicalSamplingKeepsTheTokensOfLibllama(long seed) {
        float[] row = row(seed);
        begin(row);
        double entropy = 0;
        for (double each : probabilities().values()) {
            entropy -= each * Math.log(each);
        }
        double middle = entropy;
        Map<Integer, Double> probabilities = probabilities();
        List<Map.Entry<Integer, Float>> nearest = new ArrayList<>(kept.entrySet());
        nearest.sort(
                Comparator.comparingDouble(
                        entry -> Math.abs(-Math.log(probabilities.get(entry.getKey())) - middle)));
        double enough = halfwaySum(12, nearest);
        keep(OracleSampler.typical((float) enough));

        assertEquals(12, kept.size());
        compare(row, value(SamplingParameter.TYPICAL_P, enough));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void xtcDropsTheTokensOfLibllama(long seed) {
        float[] row = row(seed);
        begin(row);
        double threshold = Math.exp(-halfway(4, entry -> -Math.log(probability(entry.getKey()))));
        keep(OracleSampler.xtc((float) threshold));

        assertEquals(VOCABULARY - 3, kept.size());
        compare(
                row,
                value(SamplingParameter.XTC_PROBABILITY, 1)
                        .with(SamplingParameter.XTC_THRESHOLD, threshold));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void mirostatFollowsLibllamaOverManyTokens(int version) {
        SamplingValues values =
                value(SamplingParameter.MIROSTAT, version)
                        .with(SamplingParameter.MIROSTAT_TAU, 3)
                        .with(SamplingParameter.MIROSTAT_ETA, 0.3);
        AdvancedDraw ours = draw(values);
        try (OracleSampler theirs = OracleSampler.mirostat(version, VOCABULARY, 3, 0.3f)) {
            for (long seed = 1; seed <= 60; seed++) {
                float[] row = row(seed);
                begin(row);
                OracleSampler.Result result = theirs.apply(kept);
                kept = result.logits();
                compare("token " + seed, ours, row);
                assertEquals(result.selected(), ours(ours, row, middleOf(result.selected())));
                ours.accept();
                theirs.accept(result.selected());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void dryPenaltiesAreThoseOfLibllama(long seed) {
        DemoModel demo = DemoModel.values()[0];
        Tokenizer tokenizer = Tokenizer.of(GgufFile.open(demo.file()).metadata());
        SplittableRandom random = new SplittableRandom(seed);
        int allowed = 1 + random.nextInt(3);
        int last = seed % 2 == 0 ? -1 : 100;
        try (Oracle oracle = Oracle.open(demo.file(), OracleOptions.defaults());
                OracleSampler theirs =
                        OracleSampler.dry(
                                oracle,
                                0.8f,
                                1.75f,
                                allowed,
                                last < 0 ? ALL : last,
                                SequenceBreakers.USUAL)) {
            DryPenalty ours =
                    new DryPenalty(
                            new AdvancedSampling.Dry(
                                    0.8f,
                                    1.75f,
                                    allowed,
                                    last,
                                    SequenceBreakers.of(tokenizer, SequenceBreakers.USUAL)));
            int[] words = tokenizer.encode("one two: \"three\" four\nfive* six", false);
            int changed = 0;
            for (int i = 0; i < 300; i++) {
                float[] row = new float[tokenizer.vocabularySize()];
                TreeMap<Integer, Float> logits = new TreeMap<>();
                for (int token = 0; token < row.length; token++) {
                    row[token] = random.nextFloat();
                    logits.put(token, row[token]);
                }
                ours.apply(row);
                TreeMap<Integer, Float> penalised = theirs.apply(logits).logits();
                for (int token = 0; token < row.length; token++) {
                    assertEquals(penalised.get(token), row[token], 1e-4f, "token " + token);
                    changed += row[token] < logits.get(token) - 1 ? 1 : 0;
                }
                int next = words[(i % 3 == 0 ? random.nextInt(words.length) : i) % words.length];
                ours.add(next);
                theirs.accept(next);
            }
            assertTrue(changed > 20, "penalties: " + changed);
        }
    }

    private static float[] row(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] row = new float[VOCABULARY];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) (1.8 * random.nextGaussian());
        }
        return row;
    }

    private void begin(float[] row) {
        kept = new TreeMap<>();
        for (int i = 0; i < row.length; i++) {
            kept.put(i, row[i]);
        }
        keep(OracleSampler.temperature(TEMPERATURE));
    }

    private void keep(OracleSampler sampler) {
        try (sampler) {
            kept = sampler.apply(kept).logits();
        }
    }

    private Map<Integer, Double> probabilities() {
        double total = kept.values().stream().mapToDouble(Math::exp).sum();
        Map<Integer, Double> found = new TreeMap<>();
        kept.forEach((token, logit) -> found.put(token, Math.exp(logit) / total));
        return found;
    }

    private double probability(int token) {
        return probabilities().get(token);
    }

    private double deviation() {
        double mean = kept.values().stream().mapToDouble(each -> each).average().orElseThrow();
        return Math.sqrt(
                kept.values().stream()
                        .mapToDouble(each -> (each - mean) * (each - mean))
                        .average()
                        .orElseThrow());
    }

    private List<Map.Entry<Integer, Float>> byProbability() {
        List<Map.Entry<Integer, Float>> sorted = new ArrayList<>(kept.entrySet());
        sorted.sort(Map.Entry.<Integer, Float>comparingByValue().reversed());
        return sorted;
    }

    /** Mean of a value of the last token to keep and of the next one; best tokens first. */
    private double halfway(int count, ToDoubleFunction<Map.Entry<Integer, Float>> value) {
        List<Map.Entry<Integer, Float>> sorted = byProbability();
        return (value.applyAsDouble(sorted.get(count - 1)) + value.applyAsDouble(sorted.get(count)))
                / 2;
    }

    /** A sum of probabilities that the first {@code count} tokens reach and fewer do not. */
    private double halfwaySum(int count, List<Map.Entry<Integer, Float>> order) {
        double sum = 0;
        for (Map.Entry<Integer, Float> entry : order.subList(0, count - 1)) {
            sum += probability(entry.getKey());
        }
        return sum + probability(order.get(count - 1).getKey()) / 2;
    }

    private static SamplingValues value(SamplingParameter parameter, double value) {
        return SamplingValues.NONE
                .with(SamplingParameter.TEMPERATURE, TEMPERATURE)
                .with(parameter, value);
    }

    private static AdvancedDraw draw(SamplingValues values) {
        return new AdvancedDraw(
                SamplingOptions.of(values, 0, SamplingOptions.Context.NONE),
                VOCABULARY,
                new WeightFunction());
    }

    private void compare(float[] row, SamplingValues values) {
        compare(values.toString(), draw(values), row);
    }

    /** Compares draws from the whole interval with the tokens that libllama keeps. */
    private void compare(String what, AdvancedDraw draw, float[] row) {
        Map<Integer, Double> probabilities = probabilities();
        for (int i = 0; i < DRAWS; i++) {
            double uniform = (i + 0.5) / DRAWS;
            double end = 0;
            for (Map.Entry<Integer, Double> entry : probabilities.entrySet()) {
                end += entry.getValue();
                if (Math.abs(uniform - end) < EDGE) {
                    break;
                }
                if (uniform < end) {
                    assertEquals(entry.getKey(), ours(draw, row, uniform), what + ", " + uniform);
                    break;
                }
            }
        }
    }

    private double middleOf(int token) {
        double begin = 0;
        for (Map.Entry<Integer, Double> entry : probabilities().entrySet()) {
            if (entry.getKey() == token) {
                return begin + entry.getValue() / 2;
            }
            begin += entry.getValue();
        }
        throw new AssertionError("token " + token + " is not among " + kept);
    }

    private static int ours(AdvancedDraw draw, float[] row, double uniform) {
        DeviceArgmax maxima = new DeviceArgmax(row.length);
        maxima.scan(row, 0);
        return draw.draw(row, 0, maxima, uniform, new SplitMix64(1));
    }
}
