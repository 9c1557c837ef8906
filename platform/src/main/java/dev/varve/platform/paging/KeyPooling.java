package dev.varve.platform.paging;

import java.util.Optional;

/**
 * What pages hold, in one direction per group of positions and head, and how much a query looks for
 * it. A page's keys are summed group by group and brought to length one, as a query is, so that
 * their product is a cosine: long keys, such as those of attention sinks, do not win by length.
 */
public final class KeyPooling {
    /** Score of a page of whose keys nothing is known: below every mean of cosines. */
    public static final float UNKNOWN = -2;

    private static final float EPSILON = 1e-6f;

    private KeyPooling() {}

    /**
     * The directions of some consecutive keys.
     *
     * @param rows key after key, {@code [headLength * heads, positions]}
     * @param headLength elements of a head
     * @param rowLength elements of a row, all heads
     * @param groups into how many runs of positions the keys are divided; divides their number
     * @return {@code [headLength, heads, groups]}; empty if a key is no number
     */
    public static Optional<float[]> pool(float[] rows, int headLength, int rowLength, int groups) {
        int positions = rows.length / rowLength / groups;
        float[] sums = new float[rowLength * groups];
        for (int group = 0; group < groups; group++) {
            int target = group * rowLength;
            for (int position = 0; position < positions; position++) {
                int source = (group * positions + position) * rowLength;
                for (int i = 0; i < rowLength; i++) {
                    sums[target + i] += rows[source + i];
                }
            }
        }
        return normalise(sums, headLength) ? Optional.of(sums) : Optional.empty();
    }

    /**
     * Brings vectors to length one, in place.
     *
     * @return whether all of them are numbers
     */
    public static boolean normalise(float[] vectors, int length) {
        for (int begin = 0; begin < vectors.length; begin += length) {
            double squares = 0;
            for (int i = begin; i < begin + length; i++) {
                squares += (double) vectors[i] * vectors[i];
            }
            float norm = (float) Math.sqrt(squares) + EPSILON;
            if (!Float.isFinite(norm)) {
                return false;
            }
            for (int i = begin; i < begin + length; i++) {
                vectors[i] /= norm;
            }
        }
        return true;
    }

    /**
     * The largest cosine between a page's directions and the queries that read its heads.
     *
     * @param queries of length one, {@code [headLength, queryHeads, tokens]}
     * @param queryHeads heads of each token
     * @param keys as {@link #pool} gives them
     * @param heads of the keys; divides {@code queryHeads}
     */
    public static float best(
            float[] queries, int queryHeads, float[] keys, int headLength, int heads) {
        int groupHeads = queryHeads / heads;
        float best = Float.NEGATIVE_INFINITY;
        for (int query = 0; query < queries.length; query += headLength) {
            int head = query / headLength % queryHeads / groupHeads;
            for (int key = head * headLength; key < keys.length; key += heads * headLength) {
                best = Math.max(best, dot(queries, query, keys, key, headLength));
            }
        }
        return best;
    }

    /** Four sums, so that they do not wait for one another; always in the same order. */
    private static float dot(
            float[] left, int leftBegin, float[] right, int rightBegin, int length) {
        float first = 0;
        float second = 0;
        float third = 0;
        float fourth = 0;
        int whole = length / 4 * 4;
        for (int i = 0; i < whole; i += 4) {
            first += left[leftBegin + i] * right[rightBegin + i];
            second += left[leftBegin + i + 1] * right[rightBegin + i + 1];
            third += left[leftBegin + i + 2] * right[rightBegin + i + 2];
            fourth += left[leftBegin + i + 3] * right[rightBegin + i + 3];
        }
        for (int i = whole; i < length; i++) {
            first += left[leftBegin + i] * right[rightBegin + i];
        }
        return first + second + (third + fourth);
    }
}
