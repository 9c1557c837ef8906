package dev.varve.fleet;

/** Counts values in buckets that are 2 % wide, so that percentiles take a fixed memory. */
final class Histogram {
    private static final double LOG_WIDTH = Math.log(1.02);

    /** Buckets up to 1e18. */
    private static final int BUCKETS = 2100;

    private final long[] counts = new long[BUCKETS];
    private long count;
    private double sum;

    /**
     * Counts a value.
     *
     * @param value not negative; values below 1 count as 0
     */
    void add(double value) {
        int bucket = value < 1 ? 0 : 1 + (int) (Math.log(value) / LOG_WIDTH);
        counts[Math.min(bucket, BUCKETS - 1)]++;
        count++;
        sum += value;
    }

    long count() {
        return count;
    }

    /** Returns the mean; 0 without values. */
    double mean() {
        return count == 0 ? 0 : sum / count;
    }

    /**
     * Returns a percentile by nearest rank, at most 1 % off; 0 without values.
     *
     * @param percent such as 95
     */
    double percentile(double percent) {
        long rank = Math.max(1, (long) Math.ceil(percent / 100 * count));
        long seen = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            seen += counts[bucket];
            if (seen >= rank) {
                return bucket == 0 ? 0 : Math.exp((bucket - 0.5) * LOG_WIDTH);
            }
        }
        return 0;
    }
}
