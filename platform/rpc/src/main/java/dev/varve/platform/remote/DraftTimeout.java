package dev.varve.platform.remote;

import java.util.concurrent.TimeUnit;

/**
 * How long a step waits for the guesses of another process: some times as long as they usually
 * take. A step without guesses costs less than one that waits. For one thread.
 */
final class DraftTimeout {
    private static final int TIMES = 8;
    private static final double NEWS = 0.1;
    private static final long LEAST = TimeUnit.MILLISECONDS.toNanos(100);

    /** The first guesses also prepare what computes them. */
    private static final long MOST = TimeUnit.SECONDS.toNanos(2);

    private double usual;

    /** Nanoseconds. */
    long nanos() {
        return usual == 0 ? MOST : Math.clamp((long) (TIMES * usual), LEAST, MOST);
    }

    /** Takes note of how long guesses took, also of those that came too late. */
    void took(long nanos) {
        double seen = Math.min(nanos, MOST / TIMES);
        usual = usual == 0 ? seen : usual + NEWS * (seen - usual);
    }
}
