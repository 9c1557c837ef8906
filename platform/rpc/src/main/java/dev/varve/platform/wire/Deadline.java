package dev.varve.platform.wire;

import java.time.Duration;
import java.util.Objects;

/**
 * Time limit of a call.
 *
 * @param limit longest time
 * @param since event from which the time is counted
 */
public record Deadline(Duration limit, StartEvent since) {
    /** Event from which a deadline is counted. */
    public enum StartEvent {
        /** The request: it bounds the whole call. */
        REQUEST,
        /** The latest progress message, or the request before the first. */
        PROGRESS
    }

    /** Checks that the limit is positive. */
    public Deadline {
        Objects.requireNonNull(since);
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("deadline must be positive, got " + limit);
        }
    }

    /** Limits the whole call. */
    public static Deadline within(Duration limit) {
        return new Deadline(limit, StartEvent.REQUEST);
    }

    /** Limits the time without progress. */
    public static Deadline withoutProgress(Duration limit) {
        return new Deadline(limit, StartEvent.PROGRESS);
    }
}
