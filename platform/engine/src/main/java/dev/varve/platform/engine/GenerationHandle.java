package dev.varve.platform.engine;

import java.util.Optional;

/** A submitted request. */
public interface GenerationHandle {
    /**
     * Cancels the request before the next step; the current step is not aborted. The listener gets
     * an error of kind CANCELLED. Does nothing after the request has ended. Any thread.
     */
    void cancel();

    /** Returns the progress; empty if it is not tracked. Any thread; never waits. */
    default Optional<GenerationProgress> progress() {
        return Optional.empty();
    }
}
