package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * Softmax of a row before division by its sum: {@code exp((logit - highest) / temperature)}, so
 * that the best token weighs 1. Runs per token.
 */
final class SoftmaxWeights {
    private final float[] weights;
    private final double[] blockSums;
    private final WeightFunction function;
    private double total;

    SoftmaxWeights(int length, WeightFunction function) {
        this.function = function;
        this.weights = new float[length];
        this.blockSums = new double[Math.ceilDiv(length, DeviceArgmax.BLOCK)];
    }

    void compute(float[] row, int offset, DeviceArgmax maxima, double temperature) {
        total = 0;
        double least = maxima.highest() - WeightFunction.REACH * temperature;
        for (int block = 0; block < blockSums.length; block++) {
            int begin = maxima.begin(block);
            int end = maxima.end(block);
            if (maxima.block(block) <= least) {
                Arrays.fill(weights, begin, end, 0);
                blockSums[block] = 0;
            } else {
                function.apply(row, offset, weights, begin, end, maxima.highest(), temperature);
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

    /**
     * Returns the first token at which the running sum of weights exceeds this share of the total.
     */
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
        int begin = lastBlock * DeviceArgmax.BLOCK;
        return drawFrom(weights, begin, Math.min(weights.length, begin + DeviceArgmax.BLOCK), rest);
    }

    /**
     * Returns the first index at which the running sum exceeds {@code rest}; if rounding prevents
     * that, the last index with a positive weight. An index of weight 0 is never returned if
     * another one weighs more.
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

    /**
     * Returns the sum, computed as four running sums, because each addition to a single one waits
     * for the previous one.
     */
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
}
