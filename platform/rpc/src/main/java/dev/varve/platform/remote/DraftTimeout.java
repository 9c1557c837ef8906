package dev.varve.platform.remote;

import java.util.concurrent.TimeUnit;

/**
 * Computes how long a step waits for draft tokens of another process: a multiple of their usual
 * time. A step without draft tokens costs less than a long wait. For one thread.
 */
final class DraftTimeout {
    private static final int TIMES = 8;
    private static final double NEWS = 0.1;
    private static final long LEAST = TimeUnit.MILLISECONDS.toNanos(100);

    /** Limit for the first draft: it also prepares the computation. */
    private static final long MOST = TimeUnit.SECONDS.toNanos(2);

    private double usual;

    /** Returns the current limit in nanoseconds. */
    long nanos() {
        return usual == 0 ? MOST : Math.clamp((long) (TIMES * usual), LEAST, MOST);
    }

    /** Records the time of a draft, including one that was late. */
    void took(long nanos) {
        double seen = Math.min(nanos, MOST / TIMES);
        usual = usual == 0 ? seen : usual + NEWS * (seen - usual);
    }
}
