package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * Softmax of a row before division by its sum: {@code exp((logit - highest) / temperature)}, so that the best token
 * weighs 1. Runs per token.
 *
 * <p>Every weight is lowered by {@code e^-30} and ends at 0. This is what makes far tokens free: whole blocks below
 * {@code highest - 30 * temperature} weigh 0 and are skipped. The sum of all weights is at least 1, and a vocabulary of
 * V tokens loses at most {@code V * e^-30} of it: 2.4e-8 for 250,000 tokens, less than the 2^-24 = 6.0e-8 by which the
 * rounding of the logits to float moves the weights anyway.
 */
final class SoftmaxWeights {
    /** Distance from the best logit, in units of the temperature, from where a token weighs nothing. */
    static final double REACH = 30;

    /** {@code exp(x)} is computed as {@code exp(x / 64)} squared six times; the six squarings below belong to it. */
    private static final double HALVINGS = 64;

    private static final double LEAST_STEP = -REACH / HALVINGS;
    private static final double FLOOR = exponential(LEAST_STEP);

    private final float[] weights;
    private final double[] blockSums;
    private double total;

    SoftmaxWeights(int length) {
        this.weights = new float[length];
        this.blockSums = new double[Math.ceilDiv(length, RowMaxima.BLOCK)];
    }

    void compute(float[] row, int offset, RowMaxima maxima, double temperature) {
        total = 0;
        double least = maxima.highest() - REACH * temperature;
        for (int block = 0; block < blockSums.length; block++) {
            int begin = maxima.begin(block);
            int end = maxima.end(block);
            if (maxima.block(block) <= least) {
                Arrays.fill(weights, begin, end, 0);
                blockSums[block] = 0;
            } else {
                weigh(row, offset, weights, begin, end, maxima.highest(), temperature);
                blockSums[block] = sum(weights, begin, end);
                total += blockSums[block];
            }
        }
    }

    double total() {
        return total;
    }

    float weight(int token) {
        return weights[token];
    }

    /** Returns the first token at which the running sum of weights exceeds this share of the total. */
    int draw(double uniform) {
        double rest = uniform * total;
        int lastBlock = 0;
        for (int block = 0; block < blockSums.length; block++) {
            if (blockSums[block] > 0) {
                lastBlock = block;
                if (rest < blockSums[block]) {
                    break;
                }
                rest -= blockSums[block];
            }
        }
        int begin = lastBlock * RowMaxima.BLOCK;
        return drawFrom(weights, begin, Math.min(weights.length, begin + RowMaxima.BLOCK), rest);
    }

    /**
     * Returns the first index at which the running sum exceeds {@code rest}; where rounding keeps the sum from it, the
     * last index that weighs anything. An index of weight 0 is never returned if another one weighs more.
     */
    static int drawFrom(float[] weights, int begin, int end, double rest) {
        double sum = 0;
        int last = begin;
        for (int i = begin; i < end; i++) {
            if (weights[i] > 0) {
                last = i;
                sum += weights[i];
                if (sum > rest) {
                    break;
                }
            }
        }
        return last;
    }

    static void weigh(
            float[] logits, int offset, float[] weights, int begin, int end, float highest, double temperature) {
        double scale = 1 / (HALVINGS * temperature);
        double best = highest;
        for (int i = begin; i < end; i++) {
            double step = Math.max((logits[offset + i] - best) * scale, LEAST_STEP);
            weights[i] = (float) (exponential(step) - FLOOR);
        }
    }

    /** Four running sums, since a single one waits for each addition. */
    static double sum(float[] weights, int begin, int end) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = begin;
        for (; i + 3 < end; i += 4) {
            a += weights[i];
            b += weights[i + 1];
            c += weights[i + 2];
            d += weights[i + 3];
        }
        for (; i < end; i++) {
            a += weights[i];
        }
        return (a + b) + (c + d);
    }

    /**
     * Returns {@code exp(64 * step)} for {@code -30/64 <= step <= 0}, with a relative error below 1e-8: the Taylor
     * series to the 9th power leaves {@code 0.469^10 / 10! = 1.4e-10}, times 64. Only multiplications and additions,
     * because a loop around {@link Math#exp} is not vectorised.
     */
    private static double exponential(double step) {
        double power = 1.0 / 362880;
        power = power * step + 1.0 / 40320;
        power = power * step + 1.0 / 5040;
        power = power * step + 1.0 / 720;
        power = power * step + 1.0 / 120;
        power = power * step + 1.0 / 24;
        power = power * step + 1.0 / 6;
        power = power * step + 0.5;
        power = power * step + 1;
        power = power * step + 1;
        power *= power;
        power *= power;
        power *= power;
        power *= power;
        power *= power;
        return power * power;
    }
}
