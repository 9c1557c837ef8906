package dev.varve.platform.shard;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Bounds of the keys of pages: the least and the largest value for each group of positions, head
 * and element. They give an upper bound for the product of a query with any key of the group
 * (Quest, arXiv 2406.10774). A mean of keys would hide a single key that matches the query.
 *
 * <p>The score of a page is the distance of its bound from the mean of the pages that may leave the
 * pool, in standard deviations, for the head and token with the largest distance: heads that attend
 * everywhere, and heads with long keys, do not outvote a head that attends to one place. A match
 * may continue across a page border, so that a page next to an outermost group with a high bound
 * gets almost the same score.
 */
public final class KeyBounds {
    /** Groups of a page: fewer give weaker bounds, more need memory without finding more. */
    public static final int GROUPS = 4;

    /** Score of a page without bounds: below all others. */
    public static final float UNKNOWN = -1e9f;

    /** Deduction from the score that a page gets from its neighbour. */
    private static final float NEIGHBOUR_DEDUCTION = 0.01f;

    private static final double LEAST_DEVIATION = 1e-6;

    private KeyBounds() {}

    /**
     * Computes the bounds of consecutive keys.
     *
     * @param rows key after key, {@code [rowLength, positions]}
     * @param rowLength elements of a key, all heads
     * @return {@code [rowLength, 2, GROUPS]}, the least values before the largest; empty if a key
     *     is not finite
     */
    public static Optional<float[]> of(float[] rows, int rowLength) {
        int positions = rows.length / rowLength / GROUPS;
        float[] bounds = new float[2 * rowLength * GROUPS];
        for (int group = 0; group < GROUPS; group++) {
            int least = 2 * group * rowLength;
            int most = least + rowLength;
            int first = group * positions * rowLength;
            System.arraycopy(rows, first, bounds, least, rowLength);
            System.arraycopy(rows, first, bounds, most, rowLength);
            for (int position = 1; position < positions; position++) {
                int source = first + position * rowLength;
                for (int i = 0; i < rowLength; i++) {
                    float value = rows[source + i];
                    bounds[least + i] = Math.min(bounds[least + i], value);
                    bounds[most + i] = Math.max(bounds[most + i], value);
                }
            }
        }
        for (float bound : bounds) {
            // A NaN among the values makes the least and the largest value NaN.
            if (!Float.isFinite(bound)) {
                return Optional.empty();
            }
        }
        return Optional.of(bounds);
    }

    /**
     * Scores pages by the queries of a layer.
     *
     * @param queries {@code [headLength, queryHeads, tokens]}
     * @param queryHeads heads of each token
     * @param headLength elements of a head
     * @param heads of the keys; divides {@code queryHeads}
     * @param pages bounds of the pages in their order; empty if unknown
     * @return one score per page
     */
    public static float[] score(
            float[] queries,
            int queryHeads,
            int headLength,
            int heads,
            List<Optional<float[]>> pages) {
        float[] scores = new float[pages.size()];
        Arrays.fill(scores, UNKNOWN);
        double[] bounds = new double[pages.size() * GROUPS];
        float[] positive = new float[headLength];
        float[] negative = new float[headLength];
        for (int query = 0; query < queries.length; query += headLength) {
            if (divide(queries, query, positive, negative)) {
                int head = query / headLength % queryHeads / (queryHeads / heads);
                for (int page = 0; page < pages.size(); page++) {
                    bound(pages.get(page), head, heads, positive, negative, bounds, page);
                }
                merge(scores, bounds, pages);
            }
        }
        return scores;
    }

    /**
     * Splits a query into its positive and its negative elements; returns whether all are finite.
     */
    private static boolean divide(float[] queries, int begin, float[] positive, float[] negative) {
        boolean sound = true;
        for (int i = 0; i < positive.length; i++) {
            float value = queries[begin + i];
            sound &= Float.isFinite(value);
            positive[i] = Math.max(value, 0);
            negative[i] = Math.min(value, 0);
        }
        return sound;
    }

    private static void bound(
            Optional<float[]> keys,
            int head,
            int heads,
            float[] positive,
            float[] negative,
            double[] bounds,
            int page) {
        int length = positive.length;
        for (int group = 0; group < GROUPS && keys.isPresent(); group++) {
            int least = (2 * group * heads + head) * length;
            int most = least + heads * length;
            bounds[page * GROUPS + group] =
                    dot(positive, keys.get(), most) + dot(negative, keys.get(), least);
        }
    }

    /** Uses four independent sums, which run in parallel; the order is always the same. */
    private static float dot(float[] query, float[] keys, int begin) {
        float first = 0;
        float second = 0;
        float third = 0;
        float fourth = 0;
        int whole = query.length / 4 * 4;
        for (int i = 0; i < whole; i += 4) {
            first += query[i] * keys[begin + i];
            second += query[i + 1] * keys[begin + i + 1];
            third += query[i + 2] * keys[begin + i + 2];
            fourth += query[i + 3] * keys[begin + i + 3];
        }
        for (int i = whole; i < query.length; i++) {
            first += query[i] * keys[begin + i];
        }
        return first + second + (third + fourth);
    }

    /** Raises the page scores to those that result from the bounds for one query. */
    private static void merge(float[] scores, double[] bounds, List<Optional<float[]>> pages) {
        double sum = 0;
        double squares = 0;
        int count = 0;
        for (int page = 0; page < scores.length; page++) {
            // Pages that never leave the pool are left out of the statistics.
            if (pages.get(page).isPresent() && !isFixed(page, scores.length)) {
                double most = most(bounds, page);
                sum += most;
                squares += most * most;
                count++;
            }
        }
        double mean = count == 0 ? 0 : sum / count;
        double variance = count == 0 ? 0 : Math.max(0, squares / count - mean * mean);
        double deviation = Math.sqrt(variance) + LEAST_DEVIATION;
        for (int page = 0; page < scores.length; page++) {
            if (pages.get(page).isPresent()) {
                int first = page * GROUPS;
                raise(scores, page, (most(bounds, page) - mean) / deviation);
                double before = (bounds[first] - mean) / deviation - NEIGHBOUR_DEDUCTION;
                double behind =
                        (bounds[first + GROUPS - 1] - mean) / deviation - NEIGHBOUR_DEDUCTION;
                if (page > 0 && pages.get(page - 1).isPresent()) {
                    raise(scores, page - 1, before);
                }
                if (page + 1 < scores.length && pages.get(page + 1).isPresent()) {
                    raise(scores, page + 1, behind);
                }
            }
        }
    }

    private static boolean isFixed(int page, int pages) {
        return page < PagePoolSizing.SINKS || page >= pages - PagePoolSizing.TAIL;
    }

    private static double most(double[] bounds, int page) {
        double most = bounds[page * GROUPS];
        for (int group = 1; group < GROUPS; group++) {
            most = Math.max(most, bounds[page * GROUPS + group]);
        }
        return most;
    }

    private static void raise(float[] scores, int page, double score) {
        scores[page] = Math.max(scores[page], (float) score);
    }
}
