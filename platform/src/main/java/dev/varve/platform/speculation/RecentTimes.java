package dev.varve.platform.speculation;

import java.util.Arrays;

/**
 * The median of the newest times of something. The first ones, for which code and graphs were not
 * ready, and those that something else held up do not count for more than others.
 */
public final class RecentTimes {
    private static final int MOST = 9;
    private static final int LEAST = 3;

    private final long[] times = new long[MOST];
    private int count;

    /** Takes note of a time. */
    public void add(long nanos) {
        times[count++ % MOST] = nanos;
    }

    /**
     * The median in nanoseconds, the shortest time while there are few; 0 while there are next to
     * none.
     */
    public long median() {
        if (count < LEAST) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(times, Math.min(count, MOST));
        Arrays.sort(sorted);
        // The first ones are slow, before code and graphs are ready; that must not decide.
        return count < MOST ? sorted[0] : sorted[(MOST - 1) / 2];
    }
}
