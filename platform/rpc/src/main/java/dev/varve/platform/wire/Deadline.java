package dev.varve.platform.wire;

import java.time.Duration;
import java.util.Objects;

/**
 * How long a caller waits.
 *
 * @param limit most time
 * @param since what the time is counted from
 */
public record Deadline(Duration limit, Since since) {
    /** What a deadline is counted from. */
    public enum Since {
        /** The request: it bounds the whole call. */
        REQUEST,
        /** The latest progress message, or the request before the first. */
        PROGRESS
    }

    /** Checks that there is time at all. */
    public Deadline {
        Objects.requireNonNull(since);
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("deadline must be positive, got " + limit);
        }
    }

    /** The whole call within a time. */
    public static Deadline within(Duration limit) {
        return new Deadline(limit, Since.REQUEST);
    }

    /** Never longer than this without progress. */
    public static Deadline withoutProgress(Duration limit) {
        return new Deadline(limit, Since.PROGRESS);
    }
}
