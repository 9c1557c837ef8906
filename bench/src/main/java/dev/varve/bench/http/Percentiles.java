package dev.varve.bench.http;

import java.util.Arrays;
import java.util.Collection;

/** Times in their order. A percentile is one of them, the nearest rank: nothing is interpolated. */
public final class Percentiles {
    private static final double NANOS_PER_MILLI = 1e6;

    private final long[] sorted;

    private Percentiles(long[] sorted) {
        this.sorted = sorted;
    }

    /**
     * Sorts times.
     *
     * @param nanos at least one time
     */
    public static Percentiles of(Collection<Long> nanos) {
        if (nanos.isEmpty()) {
            throw new IllegalArgumentException("expected at least one time");
        }
        long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(sorted);
        return new Percentiles(sorted);
    }

    /**
     * Returns the smallest time that is not below {@code percent} % of all, in milliseconds.
     *
     * @param percent above 0, up to 100
     */
    public double millis(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("expected 1 to 100 percent, found " + percent);
        }
        long rank = Math.ceilDiv((long) percent * sorted.length, 100L);
        return sorted[(int) rank - 1] / NANOS_PER_MILLI;
    }
}
