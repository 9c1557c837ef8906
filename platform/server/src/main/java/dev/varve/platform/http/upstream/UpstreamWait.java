package dev.varve.platform.http.upstream;

import dev.varve.platform.http.json.ClientGoneException;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Waits for the upstream server until its idle timeout, or until the client disconnects.
 *
 * @param idleTimeout maximum time without data
 * @param disconnected whether the client disconnected; called regularly
 */
record UpstreamWait(Duration idleTimeout, BooleanSupplier disconnected) {
    /** Interval between checks of the client's connection. */
    private static final Duration TICK = Duration.ofMillis(700);

    /** Waits a limited time for a value. */
    @FunctionalInterface
    interface TimedPoll<T> {
        /** Returns the value that arrived within a time; empty if none did. */
        Optional<T> within(long nanos) throws InterruptedException;
    }

    /**
     * Waits for a value.
     *
     * @throws UpstreamException if none arrives within the limit
     * @throws IOException if the client disconnected
     */
    <T> T await(TimedPoll<T> attempt) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            long left = idleTimeout.toNanos() - (System.nanoTime() - begin);
            if (left <= 0) {
                throw new UpstreamException(
                        UpstreamException.Kind.TIMEOUT,
                        "the upstream server has sent nothing for "
                                + seconds()
                                + (idleTimeout.toSeconds() == 1 ? " second" : " seconds"));
            }
            Optional<T> found = attempt.within(Math.min(left, TICK.toNanos()));
            if (found.isPresent()) {
                return found.get();
            }
            if (disconnected.getAsBoolean()) {
                throw new ClientGoneException();
            }
        }
    }

    private String seconds() {
        return idleTimeout.toMillisPart() == 0
                ? Long.toString(idleTimeout.toSeconds())
                : Double.toString(idleTimeout.toMillis() / 1e3);
    }
}
