package dev.varve.platform.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * When a request was queued, left the queue and got its first token. For one thread, but for {@link
 * #answering}.
 */
final class RequestClock {
    private final LongSupplier nanoTime;
    private final long queued;
    private OptionalLong started = OptionalLong.empty();
    private volatile OptionalLong firstToken = OptionalLong.empty();

    /**
     * Begins in the queue.
     *
     * @param nanoTime the clock, such as {@link System#nanoTime}
     */
    RequestClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        queued = nanoTime.getAsLong();
    }

    /** The request leaves the queue; only the first time counts. */
    void start() {
        if (started.isEmpty()) {
            started = OptionalLong.of(nanoTime.getAsLong());
        }
    }

    void firstToken() {
        firstToken = OptionalLong.of(nanoTime.getAsLong());
    }

    /** The time from each of them to the next, and to this moment; 0 for what did not happen. */
    GenerationEnd.Times end() {
        long now = nanoTime.getAsLong();
        long start = started.orElse(now);
        long first = firstToken.orElse(now);
        return new GenerationEnd.Times(
                millis(queued, start), millis(start, first), millis(first, now));
    }

    /** Time since the first token; empty before. Any thread may ask. */
    Optional<Duration> answering() {
        OptionalLong first = firstToken;
        return first.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(nanoTime.getAsLong() - first.getAsLong()));
    }

    private static double millis(long from, long to) {
        return (to - from) / 1e6;
    }
}
