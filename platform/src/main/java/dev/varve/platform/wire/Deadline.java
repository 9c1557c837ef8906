package dev.varve.platform.wire;

import java.time.Duration;

/**
 * How long a caller waits.
 *
 * @param limit most time
 * @param restarted whether each progress message restarts it
 */
public record Deadline(Duration limit, boolean restarted) {
    public Deadline {
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("deadline must be positive, got " + limit);
        }
    }

    /** The whole call within a time. */
    public static Deadline within(Duration limit) {
        return new Deadline(limit, false);
    }

    /** Never longer than this without progress. */
    public static Deadline withoutProgress(Duration limit) {
        return new Deadline(limit, true);
    }
}
