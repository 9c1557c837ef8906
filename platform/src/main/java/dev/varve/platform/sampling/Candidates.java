package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * The tokens that passed the filters so far, in ascending order of their ids, with logit and weight. Runs per token;
 * the arrays grow to the largest number of candidates seen.
 *
 * <p>Better means: higher logit, on ties the lower id.
 */
final class Candidates {
    private static final int[] DIGIT_SHIFTS = {21, 10, 0};
    private static final int[] DIGIT_BITS = {11, 11, 10};

    private final double[] buckets = new double[1 << 11];
    private int[] ids = new int[RowMaxima.BLOCK];
    private float[] logits = new float[RowMaxima.BLOCK];
    private float[] weights = new float[RowMaxima.BLOCK];
    private int count;

    int count() {
        return count;
    }

    int id(int index) {
        return ids[index];
    }

    float logit(int index) {
        return logits[index];
    }

    /** Starts over with the tokens that reach a logit. */
    void collect(float[] row, int offset, RowMaxima maxima, float least) {
        count = 0;
        for (int block = 0; block < maxima.count(); block++) {
            if (maxima.block(block) >= least) {
                reserve(count + RowMaxima.BLOCK);
                count = collectBlock(row, offset, maxima.begin(block), maxima.end(block), least);
            }
        }
    }

    void weigh(float highest, double temperature) {
        SoftmaxWeights.weigh(logits, 0, weights, 0, count, highest, temperature);
    }

    void weigh(SoftmaxWeights source) {
        for (int i = 0; i < count; i++) {
            weights[i] = source.weight(ids[i]);
        }
    }

    double totalWeight() {
        return SoftmaxWeights.sum(weights, 0, count);
    }

    /** Keeps the best {@code limit} candidates. Weights are undefined afterwards. */
    void keepBest(int limit) {
        Arrays.fill(weights, 0, count, 1);
        keepUntil(limit);
    }

    /**
     * Keeps the shortest list of best candidates whose weights add up to at least {@code enough}; all, if they do not.
     *
     * <p>A radix selection: adds up the weights per leading digit of the logit, finds the digit in which the sum
     * reaches {@code enough}, and goes on with the next digit among those alone. Costs three passes, whatever the
     * distribution; a quickselect costs more where thousands of candidates are about equally likely.
     */
    void keepUntil(double enough) {
        double better = 0;
        int prefix = 0;
        for (int level = 0; level < DIGIT_SHIFTS.length; level++) {
            int shift = DIGIT_SHIFTS[level];
            int bits = DIGIT_BITS[level];
            addUpDigits(prefix, shift, bits);
            int digit = (1 << bits) - 1;
            int lastUsed = -1;
            double sum = better;
            for (; digit >= 0; digit--) {
                if (buckets[digit] > 0) {
                    lastUsed = digit;
                    better = sum;
                    sum += buckets[digit];
                    if (sum >= enough) {
                        break;
                    }
                }
            }
            if (digit < 0 && level == 0) {
                return;
            }
            // Below the first level the sum always gets there, except for rounding: then the last digit is meant.
            prefix = prefix << bits | lastUsed;
        }
        keepAbove(prefix ^ Integer.MIN_VALUE, better, enough);
    }

    /** Keeps the candidates whose logit is at least {@code (logit - highest) / temperature >= least}. */
    void keepNear(float highest, double temperature, double least) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (((double) logits[i] - highest) / temperature >= least) {
                move(i, kept++);
            }
        }
        count = kept;
    }

    int draw(double uniform) {
        return ids[SoftmaxWeights.drawFrom(weights, 0, count, uniform * totalWeight())];
    }

    /** Maps a logit to an int of the same order; both zeros are one. */
    static int sortKey(float logit) {
        int bits = Float.floatToRawIntBits(logit + 0f);
        return bits ^ (bits >> 31 & Integer.MAX_VALUE);
    }

    private int collectBlock(float[] row, int offset, int begin, int end, float least) {
        int next = count;
        for (int token = begin; token < end; token++) {
            float logit = row[offset + token];
            // Written always and kept sometimes: a branch here is mispredicted for every other token of a flat row.
            ids[next] = token;
            logits[next] = logit;
            next += logit >= least ? 1 : 0;
        }
        return next;
    }

    private void addUpDigits(int prefix, int shift, int bits) {
        Arrays.fill(buckets, 0);
        int mask = (1 << bits) - 1;
        for (int i = 0; i < count; i++) {
            int digits = (sortKey(logits[i]) ^ Integer.MIN_VALUE) >>> shift;
            if (digits >>> bits == prefix) {
                buckets[digits & mask] += weights[i];
            }
        }
    }

    private void keepAbove(int boundary, double better, double enough) {
        double sum = better;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int key = sortKey(logits[i]);
            if (key > boundary) {
                move(i, kept++);
            } else if (key == boundary && sum < enough) {
                sum += weights[i];
                move(i, kept++);
            }
        }
        count = kept;
    }

    private void move(int from, int to) {
        ids[to] = ids[from];
        logits[to] = logits[from];
        weights[to] = weights[from];
    }

    private void reserve(int capacity) {
        if (capacity > ids.length) {
            int grown = Math.max(capacity, ids.length * 2);
            ids = Arrays.copyOf(ids, grown);
            logits = Arrays.copyOf(logits, grown);
            weights = Arrays.copyOf(weights, grown);
        }
    }
}
