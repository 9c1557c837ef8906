package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/** Thrown when the engine was closed, for example by a server shutdown; the request is valid. */
public final class EngineClosedException extends VarveException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error for a request that is rejected or ended.
     *
     * @param kind UNAVAILABLE if it was not accepted, CANCELLED if it was running or queued
     */
    public EngineClosedException(Kind kind) {
        super(kind, "the server is shutting down");
    }
}
