package dev.varve.platform.prefix;

import java.time.Duration;
import java.util.OptionalDouble;

/** Measured prefill speed. Not thread-safe. */
final class PrefillSpeed {
    /** Minimum tokens of a measurement: fewer tokens measure the overhead of steps. */
    private static final int LEAST = 64;

    /** Estimate while there is no measurement. */
    private static final Duration UNKNOWN = Duration.ofSeconds(10);

    /**
     * Bounds of every estimate: a shorter time is not worth a store request, and a longer one is
     * not waited for.
     */
    private static final Duration LEAST_TIME = Duration.ofMillis(50);

    private static final Duration MOST_TIME = Duration.ofSeconds(60);

    private double millisPerToken;

    /** Records the prefill time of a prompt. */
    void record(int tokens, double millis) {
        if (tokens < LEAST || millis <= 0) {
            return;
        }
        double one = millis / tokens;
        millisPerToken = millisPerToken == 0 ? one : (3 * millisPerToken + one) / 4;
    }

    /** Returns the measured prefill time of a number of tokens; empty without a measurement. */
    OptionalDouble millis(int tokens) {
        return millisPerToken == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(tokens * millisPerToken);
    }

    /** Estimates the prefill time of a number of tokens. */
    Duration of(int tokens) {
        if (millisPerToken == 0) {
            return UNKNOWN;
        }
        Duration time = Duration.ofNanos((long) (tokens * millisPerToken * 1e6));
        if (time.compareTo(LEAST_TIME) < 0) {
            return LEAST_TIME;
        }
        return time.compareTo(MOST_TIME) > 0 ? MOST_TIME : time;
    }
}
