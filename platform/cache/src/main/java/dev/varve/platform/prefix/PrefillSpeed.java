package dev.varve.platform.prefix;

import java.time.Duration;

/** How fast prompts are computed, as far as that was seen. Not thread-safe. */
final class PrefillSpeed {
    /** Fewer tokens say more of steps than of speed. */
    private static final int LEAST = 64;

    /** What nobody has measured yet takes so long. */
    private static final Duration UNKNOWN = Duration.ofSeconds(10);

    /** Bounds of any answer: a store is not worth asking for less, nor waiting for longer. */
    private static final Duration LEAST_TIME = Duration.ofMillis(50);

    private static final Duration MOST_TIME = Duration.ofSeconds(60);

    private double millisPerToken;

    /** Takes note of a prompt that was computed. */
    void saw(int tokens, double millis) {
        if (tokens < LEAST || millis <= 0) {
            return;
        }
        double one = millis / tokens;
        millisPerToken = millisPerToken == 0 ? one : (3 * millisPerToken + one) / 4;
    }

    /** About how long some tokens take. */
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
