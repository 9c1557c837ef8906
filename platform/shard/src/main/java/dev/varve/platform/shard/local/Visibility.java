package dev.varve.platform.shard.local;

import dev.varve.api.model.EncoderAttention;

import java.util.Arrays;
import java.util.List;

/**
 * Which tokens of a text see which, without a cache.
 *
 * @param before greatest distance of an earlier token that is seen
 * @param after greatest distance of a later token that is seen
 * @param maxBias largest slope of ALiBi; 0 for none
 */
record Visibility(int before, int after, float maxBias) {
    /** Tokens see themselves and those before them. */
    static final Visibility CAUSAL = new Visibility(Integer.MAX_VALUE, 0, 0);

    static Visibility of(EncoderAttention options) {
        int reach = options.reach().orElse(Integer.MAX_VALUE);
        return new Visibility(reach, reach, options.maxBias());
    }

    /** Tokens see themselves and the {@code window - 1} before them. */
    static Visibility causal(int window) {
        return new Visibility(window - 1, 0, 0);
    }

    boolean hasSlopes() {
        return maxBias > 0;
    }

    /** Whether each token of texts sees all others alike. */
    boolean showsAll(List<Integer> lengths) {
        int most = lengths.getFirst() - 1;
        return lengths.size() == 1 && !hasSlopes() && before >= most && after >= most;
    }

    /**
     * Returns what is added to the scores of texts that follow each other.
     *
     * @param lengths tokens of each text
     * @param first column of the first query
     * @return {@code [tokens of all texts, count, heads]}
     */
    float[] mask(List<Integer> lengths, int first, int count, int heads) {
        int length = lengths.stream().mapToInt(Integer::intValue).sum();
        int[] begins = begins(lengths, length);
        float[] mask = new float[Math.toIntExact((long) length * count * heads)];
        int at = 0;
        for (int head = 0; head < heads; head++) {
            float slope = hasSlopes() ? slope(head, heads) : 0;
            for (int query = first; query < first + count; query++) {
                for (int key = 0; key < length; key++) {
                    boolean seen = begins[query] == begins[key] && isVisible(query, key);
                    mask[at++] = seen ? 0 - slope * Math.abs(query - key) : Float.NEGATIVE_INFINITY;
                }
            }
        }
        return mask;
    }

    /** First column of the text of each column. */
    private static int[] begins(List<Integer> lengths, int all) {
        int[] begins = new int[all];
        int begin = 0;
        for (int length : lengths) {
            Arrays.fill(begins, begin, begin + length, begin);
            begin += length;
        }
        return begins;
    }

    private boolean isVisible(int query, int key) {
        return key <= query ? query - key <= before : key - query <= after;
    }

    /** Slope of a head: powers of two where the number of heads is one, and some between them. */
    private float slope(int head, int heads) {
        int even = Integer.highestOneBit(heads);
        double exponent =
                head < even
                        ? -maxBias * (head + 1) / even
                        : -maxBias / 2 * (2 * (head - even) + 1) / even;
        return (float) Math.pow(2, exponent);
    }
}
