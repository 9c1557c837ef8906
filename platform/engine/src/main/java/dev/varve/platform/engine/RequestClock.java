package dev.varve.platform.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Records when a request was queued, left the queue and got its first token. Not thread-safe,
 * except {@link #generationTime}.
 */
final class RequestClock {
    private final LongSupplier nanoTime;
    private final long queued;
    private OptionalLong started = OptionalLong.empty();
    private volatile OptionalLong firstToken = OptionalLong.empty();

    /**
     * Starts the clock when a request is queued.
     *
     * @param nanoTime the clock, such as {@link System#nanoTime}
     */
    RequestClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        queued = nanoTime.getAsLong();
    }

    /** Records that the request leaves the queue; only the first call counts. */
    void start() {
        if (started.isEmpty()) {
            started = OptionalLong.of(nanoTime.getAsLong());
        }
    }

    void firstToken() {
        firstToken = OptionalLong.of(nanoTime.getAsLong());
    }

    /** Returns the durations of the phases up to now; 0 for a phase that did not begin. */
    GenerationEnd.Times end() {
        long now = nanoTime.getAsLong();
        long start = started.orElse(now);
        long first = firstToken.orElse(now);
        return new GenerationEnd.Times(
                millis(queued, start), millis(start, first), millis(first, now));
    }

    /** Returns the time since the first token; empty before it. Any thread. */
    Optional<Duration> generationTime() {
        OptionalLong first = firstToken;
        return first.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(nanoTime.getAsLong() - first.getAsLong()));
    }

    private static double millis(long from, long to) {
        return (to - from) / 1e6;
    }
}
