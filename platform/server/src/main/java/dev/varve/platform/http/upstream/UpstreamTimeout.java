package dev.varve.platform.http.upstream;

import dev.varve.platform.http.json.ClientGoneException;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Waits for the other server as long as it may be silent, and not longer than the client waits.
 *
 * @param silence how long nothing may come
 * @param gone whether the client went away; asked now and then
 */
record UpstreamTimeout(Duration silence, BooleanSupplier gone) {
    /** How often the client is looked at. */
    private static final Duration TICK = Duration.ofMillis(700);

    /** Waits a moment for something. */
    @FunctionalInterface
    interface Attempt<T> {
        /** What came within a time; empty if nothing did. */
        Optional<T> within(long nanos) throws InterruptedException;
    }

    /**
     * Waits for something.
     *
     * @throws UpstreamException if nothing comes
     * @throws IOException if the client went away
     */
    <T> T await(Attempt<T> attempt) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            long left = silence.toNanos() - (System.nanoTime() - begin);
            if (left <= 0) {
                throw new UpstreamException(
                        UpstreamException.Kind.TIMEOUT,
                        "the upstream server has sent nothing for "
                                + seconds()
                                + (silence.toSeconds() == 1 ? " second" : " seconds"));
            }
            Optional<T> found = attempt.within(Math.min(left, TICK.toNanos()));
            if (found.isPresent()) {
                return found.get();
            }
            if (gone.getAsBoolean()) {
                throw new ClientGoneException();
            }
        }
    }

    private String seconds() {
        return silence.toMillisPart() == 0
                ? Long.toString(silence.toSeconds())
                : Double.toString(silence.toMillis() / 1e3);
    }
}
