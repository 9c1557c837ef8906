package dev.varve.platform.sampling;

import java.util.OptionalDouble;

/**
 * Draws a token through all samplers, in the order top-n-sigma, top-k, typical, top-p, min-p, xtc,
 * or through mirostat alone; probabilities are those at the temperature. Runs per token, for few
 * requests: it collects the whole row.
 */
final class AdvancedDraw {
    private static final double LOG_2 = Math.log(2);

    /** Number of best tokens by which mirostat 1 estimates the exponent of the distribution. */
    private static final int ESTIMATED = 100;

    private final SamplingOptions options;
    private final int vocabularySize;
    private final WeightFunction function;
    private final Candidates candidates = new Candidates();

    /** Greatest surprise of mirostat, in bits; changes with each accepted token. */
    private double mostSurprise;

    /** Surprise of the token that was drawn last and is not yet accepted. */
    private OptionalDouble surprise = OptionalDouble.empty();

    AdvancedDraw(SamplingOptions options, int vocabularySize, WeightFunction function) {
        this.options = options;
        this.vocabularySize = vocabularySize;
        this.function = function;
        this.mostSurprise = 2.0 * options.advanced().mirostat().tau();
    }

    /**
     * Draws a token of a row that was scanned.
     *
     * @param xtcRandom decides whether XTC drops tokens
     */
    int draw(float[] row, int offset, DeviceArgmax maxima, double uniform, SplitMix64 xtcRandom) {
        candidates.collect(row, offset, maxima, -Float.MAX_VALUE);
        return options.advanced().mirostat().version() == 0
                ? drawFiltered(maxima.highest(), uniform, xtcRandom)
                : drawBySurprise(maxima.highest(), uniform);
    }

    /** Updates mirostat's state after the token that was drawn last was accepted. */
    void accept() {
        if (surprise.isPresent()) {
            AdvancedSampling.Mirostat mirostat = options.advanced().mirostat();
            mostSurprise -= mirostat.eta() * (surprise.getAsDouble() - mirostat.tau());
            surprise = OptionalDouble.empty();
        }
    }

    private int drawFiltered(float highest, double uniform, SplitMix64 xtcRandom) {
        AdvancedSampling advanced = options.advanced();
        SamplingOptions.Cutoffs cutoffs = options.cutoffs();
        double temperature = options.temperature();
        if (advanced.topNSigma() > 0) {
            candidates.keepFrom(highest - advanced.topNSigma() * candidates.deviation());
        }
        if (cutoffs.topK() > 0 && cutoffs.topK() < vocabularySize) {
            candidates.keepBest(cutoffs.topK(), highest);
        }
        candidates.computeWeights(function, highest, temperature);
        if (advanced.typicalP() < 1) {
            candidates.keepTypical(advanced.typicalP());
        }
        if (cutoffs.topP() < 1) {
            candidates.keepUntil(cutoffs.topP() * candidates.totalWeight());
        }
        if (cutoffs.minP() > 0) {
            candidates.keepNear(candidates.highest(), temperature, Math.log(cutoffs.minP()));
        }
        // Draws one random number per token, whether XTC drops tokens or not.
        if (advanced.xtc().probability() > 0
                && xtcRandom.nextUniform() < advanced.xtc().probability()) {
            candidates.dropAllButLeast(advanced.xtc().threshold() * candidates.totalWeight());
        }
        return candidates.draw(uniform);
    }

    private int drawBySurprise(float highest, double uniform) {
        double temperature = options.temperature();
        candidates.computeWeights(function, highest, temperature);
        if (options.advanced().mirostat().version() == 1) {
            candidates.keepBest(estimateCount(), highest);
            candidates.computeWeights(function, highest, temperature);
        } else {
            // The best token weighs 1 and is always kept.
            double least = candidates.totalWeight() * Math.exp(-mostSurprise * LOG_2);
            candidates.keepWeights(Math.min(least, 1));
        }
        int token = candidates.draw(uniform);
        double probability = candidates.weightOf(token) / candidates.totalWeight();
        surprise = OptionalDouble.of(-Math.log(probability) / LOG_2);
        return token;
    }

    /**
     * Returns the number of best tokens whose expected surprise is the greatest one, for a Zipf
     * distribution with the exponent of the best tokens.
     *
     * @see <a href="https://arxiv.org/abs/2007.14966">Basu et al.: Mirostat</a>
     */
    private int estimateCount() {
        float[] best = candidates.bestWeights(ESTIMATED);
        double products = 0;
        double squares = 0;
        for (int i = 0; i + 1 < best.length && best[i + 1] > 0; i++) {
            double rank = Math.log((i + 2.0) / (i + 1.0));
            products += rank * Math.log((double) best[i] / best[i + 1]);
            squares += rank * rank;
        }
        double exponent = products / squares;
        double excess = exponent - 1;
        double count =
                Math.pow(
                        excess
                                * Math.pow(2, mostSurprise)
                                / (1 - Math.pow(vocabularySize, -excess)),
                        1 / exponent);
        // The formula is undefined for an exponent of 1 and for a single token: all tokens are
        // kept.
        return Double.isFinite(count) ? (int) Math.clamp(count, 1, vocabularySize) : vocabularySize;
    }
}
