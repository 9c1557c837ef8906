package dev.varve.platform.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Stops a server: the first signal starts a drain of running requests with a time limit; the second
 * one ends the drain. Thread-safe.
 */
final class GracefulShutdown {
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);
    private static final Duration LIMIT = DRAIN_LIMIT.plusSeconds(10);

    /** Rejects new requests and waits for running ones. */
    @FunctionalInterface
    interface Drain {
        /**
         * Waits for running requests.
         *
         * @return whether all of them ended within {@code limit}
         */
        boolean await(Duration limit) throws InterruptedException;
    }

    /** Outcome of a drain. */
    private enum End {
        DONE,
        LATE,
        INTERRUPTED
    }

    private final CountDownLatch stopRequested = new CountDownLatch(1);
    private final CompletableFuture<End> drainEnd = new CompletableFuture<>();

    /** Returns a hook that handles signals from {@link ShutdownHook#arm} on. */
    ShutdownHook guard() {
        return ShutdownHook.prepare(stopRequested::countDown, LIMIT, this::endDrain);
    }

    /** Ends the drain now: requests that still run are cancelled. */
    void endDrain() {
        drainEnd.complete(End.INTERRUPTED);
    }

    /** Counts down to 0 when a stop is requested. */
    CountDownLatch stopRequested() {
        return stopRequested;
    }

    /**
     * Waits until running requests end. The caller cancels those that still run afterwards.
     *
     * @param say accepts lines for the user
     */
    void drain(Drain requests, Consumer<String> say) {
        String limit = DRAIN_LIMIT.toSeconds() + " s";
        say.accept("stopping; running requests have " + limit + " to end");
        switch (await(requests)) {
            case DONE -> {}
            case LATE -> say.accept("requests still ran after " + limit + " and were cancelled");
            case INTERRUPTED -> say.accept("second signal: requests that still ran are cancelled");
        }
    }

    /**
     * Drains on a separate thread: a drain that is ended early may still wait while its requests
     * are cancelled.
     */
    private End await(Drain requests) {
        CompletableFuture<End> drained =
                CompletableFuture.supplyAsync(
                        () -> wait(requests), task -> Thread.ofVirtual().start(task));
        return (End) CompletableFuture.anyOf(drained, drainEnd).join();
    }

    private static End wait(Drain requests) {
        try {
            return requests.await(DRAIN_LIMIT) ? End.DONE : End.LATE;
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }
}
