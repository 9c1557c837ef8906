package dev.varve.platform.engine;

import java.util.Optional;

/** A submitted request. */
public interface Generation {
    /**
     * Takes the request out of every later step; the running step is not aborted. The listener
     * hears an error of kind CANCELLED. Does nothing once the request has ended. Any thread.
     */
    void cancel();

    /** How far it is; empty where nobody keeps count of that. Any thread; never waits. */
    default Optional<GenerationProgress> progress() {
        return Optional.empty();
    }
}
