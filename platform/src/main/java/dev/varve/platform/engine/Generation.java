package dev.varve.platform.engine;

/** A submitted request. */
public interface Generation {
    /**
     * Takes the request out of every later step; the running step is not aborted. The listener
     * hears an error of kind CANCELLED. Does nothing once the request has ended. Any thread.
     */
    void cancel();
}
