package dev.varve.platform.cli;

import dev.varve.platform.cli.chat.ChatResponse;

import java.util.Optional;

/**
 * The response that a chat waits for, and its end by the user. One thread waits; the thread that
 * handles Ctrl-C stops.
 */
final class RunningResponse {
    private volatile Optional<Runnable> stop = Optional.empty();

    /** Set by Ctrl-C, also before the response has begun. */
    private volatile boolean stopRequested;

    /** Waits for a response. */
    @FunctionalInterface
    interface Wait {
        /** Returns the response, or its beginning if it was stopped. */
        ChatResponse await() throws InterruptedException;
    }

    /** Begins a request, before it is sent. */
    void prepare() {
        stopRequested = false;
    }

    /** Returns whether the user stopped the response since {@link #prepare}. */
    boolean isStopRequested() {
        return stopRequested;
    }

    /** Stops the response, also one that has not begun. */
    void stop() {
        stopRequested = true;
        stop.ifPresent(Runnable::run);
    }

    /**
     * Waits for a response that has begun.
     *
     * @param stopper ends the response, which then is what was generated before
     * @param canceller ends the work for it, if this thread is interrupted
     * @throws InterruptedException after {@code canceller} has run
     */
    ChatResponse await(Runnable stopper, Runnable canceller, Wait wait)
            throws InterruptedException {
        stop = Optional.of(stopper);
        if (stopRequested) {
            stopper.run();
        }
        try {
            return wait.await();
        } catch (InterruptedException e) {
            canceller.run();
            throw e;
        } finally {
            stop = Optional.empty();
        }
    }
}
