package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * The tokens that passed the filters so far, in ascending order of their ids, with logit and
 * weight. Runs per token; the arrays grow to the largest number of candidates seen.
 *
 * <p>Better means: higher logit, on ties the lower id.
 */
final class Candidates {
    private static final int STEPS = 2048;

    /** Bits of a positive float below those that {@link #STEPS} steps distinguish. */
    private static final int TYPICAL_SHIFT = 20;

    /** Logits this far below the highest share one step: their order rarely matters. */
    private static final float FARTHEST = 64;

    private final double[] sums = new double[STEPS];
    private long[] ranked = new long[DeviceArgmax.BLOCK];
    private int[] ids = new int[DeviceArgmax.BLOCK];
    private float[] logits = new float[DeviceArgmax.BLOCK];
    private float[] weights = new float[DeviceArgmax.BLOCK];
    private int count;
    private float lowest;
    private float stepsPerLogit;

    /** Restarts with the tokens that reach a logit. */
    void collect(float[] row, int offset, DeviceArgmax maxima, float least) {
        count = 0;
        setSteps(least, maxima.highest());
        for (int block = 0; block < maxima.count(); block++) {
            if (maxima.block(block) >= least) {
                reserve(count + DeviceArgmax.BLOCK);
                count = collectBlock(row, offset, maxima.begin(block), maxima.end(block), least);
            }
        }
    }

    /**
     * Restarts with some tokens.
     *
     * @param tokens the first {@code size}, ascending
     * @return their highest logit
     */
    float load(int[] tokens, float[] values, int size) {
        count = 0;
        reserve(size);
        System.arraycopy(tokens, 0, ids, 0, size);
        System.arraycopy(values, 0, logits, 0, size);
        count = size;
        float highest = Float.NEGATIVE_INFINITY;
        float least = Float.POSITIVE_INFINITY;
        for (int i = 0; i < size; i++) {
            highest = Math.max(highest, values[i]);
            least = Math.min(least, values[i]);
        }
        setSteps(least, highest);
        return highest;
    }

    private void setSteps(float least, float highest) {
        lowest = Math.max(least, highest - FARTHEST);
        stepsPerLogit = (STEPS - 1) / Math.max(highest - lowest, Float.MIN_NORMAL * STEPS);
    }

    void computeWeights(WeightFunction function, float highest, double temperature) {
        function.apply(logits, 0, weights, 0, count, highest, temperature);
    }

    void computeWeights(SoftmaxWeights source) {
        for (int i = 0; i < count; i++) {
            weights[i] = source.weight(ids[i]);
        }
    }

    double totalWeight() {
        return SoftmaxWeights.sum(weights, 0, count);
    }

    /**
     * Keeps the best {@code limit} candidates. Weights are undefined afterwards. Later sums do not
     * depend on the other candidates.
     */
    void keepBest(int limit, float highest) {
        Arrays.fill(weights, 0, count, 1);
        keepUntil(limit);
        float least = highest;
        for (int i = 0; i < count; i++) {
            least = Math.min(least, logits[i]);
        }
        setSteps(least, highest);
    }

    /**
     * Keeps the shortest list of best candidates whose weights sum to at least {@code enough}; all,
     * if they do not reach it.
     *
     * <p>Sums the weights in equal steps of the logit and finds the step in which the sum reaches
     * {@code enough}; only the few candidates of that step are examined one by one. A quickselect
     * costs more where thousands of candidates are about equally likely.
     */
    void keepUntil(double enough) {
        Arrays.fill(sums, 0);
        for (int i = 0; i < count; i++) {
            sums[step(logits[i])] += weights[i];
        }
        double better = 0;
        int boundary = STEPS - 1;
        while (boundary >= 0 && better + sums[boundary] < enough) {
            better += sums[boundary--];
        }
        if (boundary >= 0) {
            int gathered = gather(boundary);
            keepUpTo(lastOf(gathered, better, enough));
        }
    }

    /**
     * Keeps the candidates whose logit is at least {@code (logit - highest) / temperature >=
     * least}.
     */
    void keepNear(float highest, double temperature, double least) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (((double) logits[i] - highest) / temperature >= least) {
                move(i, kept++);
            }
        }
        count = kept;
    }

    /** Keeps the candidates whose logit is at least {@code least}. */
    void keepFrom(double least) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (logits[i] >= least) {
                move(i, kept++);
            }
        }
        count = kept;
    }

    /** Returns the highest logit. */
    float highest() {
        float highest = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            highest = Math.max(highest, logits[i]);
        }
        return highest;
    }

    /** Returns the standard deviation of the logits. */
    double deviation() {
        double mean = 0;
        for (int i = 0; i < count; i++) {
            mean += logits[i];
        }
        mean /= count;
        double squares = 0;
        for (int i = 0; i < count; i++) {
            squares += (logits[i] - mean) * (logits[i] - mean);
        }
        return Math.sqrt(squares / count);
    }

    /** Keeps the candidates whose weight is at least {@code least}. */
    void keepWeights(double least) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (weights[i] >= least) {
                move(i, kept++);
            }
        }
        count = kept;
    }

    /**
     * Keeps the candidates whose surprise is nearest to the entropy, the fewest whose probability
     * exceeds {@code enough}.
     */
    void keepTypical(double enough) {
        double total = totalWeight();
        double entropy = 0;
        for (int i = 0; i < count; i++) {
            double probability = weights[i] / total;
            entropy -= probability > 0 ? probability * Math.log(probability) : 0;
        }
        long[] keys = new long[count];
        Arrays.fill(sums, 0);
        for (int i = 0; i < count; i++) {
            float distance = (float) Math.abs(-Math.log(weights[i] / total) - entropy);
            keys[i] = (long) Float.floatToRawIntBits(distance) << Integer.SIZE | i;
            sums[typicalStep(keys[i])] += weights[i];
        }
        double sum = 0;
        int boundary = 0;
        while (boundary < STEPS - 1 && !(sum + sums[boundary] > enough * total)) {
            sum += sums[boundary++];
        }
        long last = lastTypical(keys, boundary, enough * total - sum);
        int kept = 0;
        int all = count;
        for (int i = 0; i < all; i++) {
            if (keys[i] <= last) {
                move(i, kept++);
            }
        }
        count = kept;
    }

    /** Returns the step of a distance: equal exponents and first digits of the mantissa. */
    private static int typicalStep(long key) {
        return (int) (key >>> Integer.SIZE + TYPICAL_SHIFT);
    }

    /** Returns the greatest key to keep: the sum of its step's weights exceeds {@code enough}. */
    private long lastTypical(long[] keys, int wantedStep, double enough) {
        long[] within =
                Arrays.stream(keys, 0, count)
                        .filter(key -> typicalStep(key) == wantedStep)
                        .sorted()
                        .toArray();
        double sum = 0;
        for (long key : within) {
            sum += weights[(int) key];
            if (sum > enough) {
                return key;
            }
        }
        return (wantedStep + 1L << Integer.SIZE + TYPICAL_SHIFT) - 1;
    }

    /** Drops the candidates with at least this weight, except the least likely of them. */
    void dropAllButLeast(double least) {
        int worst = -1;
        for (int i = 0; i < count; i++) {
            if (weights[i] >= least && (worst < 0 || logits[i] <= logits[worst])) {
                worst = i;
            }
        }
        int kept = 0;
        int all = count;
        for (int i = 0; i < all; i++) {
            if (weights[i] < least || i == worst) {
                move(i, kept++);
            }
        }
        count = kept;
    }

    /** Returns the weight of a candidate. */
    float weightOf(int token) {
        return weights[Arrays.binarySearch(ids, 0, count, token)];
    }

    /** Returns the greatest weights, at most {@code most} of them, in descending order. */
    float[] bestWeights(int most) {
        BestTokens best = new BestTokens(Math.min(most, count));
        for (int i = 0; i < count; i++) {
            if (best.isCandidate(weights[i])) {
                best.add(i, weights[i]);
            }
        }
        int[] places = best.ids();
        float[] found = new float[places.length];
        for (int i = 0; i < found.length; i++) {
            found[i] = weights[places[i]];
        }
        return found;
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
            // Always written and sometimes kept: a branch here is mispredicted for every other
            // token of a flat row.
            ids[next] = token;
            logits[next] = logit;
            next += logit >= least ? 1 : 0;
        }
        return next;
    }

    private int step(float logit) {
        return Math.clamp((int) ((logit - lowest) * stepsPerLogit), 0, STEPS - 1);
    }

    /** Copies the candidates of one step to {@code ranked}, worst first. */
    private int gather(int wantedStep) {
        int gathered = 0;
        for (int i = 0; i < count; i++) {
            if (step(logits[i]) == wantedStep) {
                if (gathered == ranked.length) {
                    ranked = Arrays.copyOf(ranked, 2 * gathered);
                }
                // The complement of the index makes the lower of two equal tokens the better one.
                ranked[gathered++] = (long) sortKey(logits[i]) << 32 | ~i & 0xFFFFFFFFL;
            }
        }
        Arrays.sort(ranked, 0, gathered);
        return gathered;
    }

    /** Returns the index of the ranked candidate at which the sum reaches {@code enough}. */
    private int lastOf(int gathered, double better, double enough) {
        double sum = better;
        int rank = gathered;
        do {
            sum += weights[~(int) ranked[--rank]];
        } while (sum < enough && rank > 0);
        return ~(int) ranked[rank];
    }

    private void keepUpTo(int last) {
        float boundary = logits[last];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            float logit = logits[i];
            move(i, kept);
            kept += logit > boundary | (logit == boundary & i <= last) ? 1 : 0;
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
