package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/** The engine was closed, as when the server stops; nothing is wrong with the request. */
public final class EngineClosedException extends VarveException {
    private static final long serialVersionUID = 1L;

    /**
     * A request that is refused, or ended.
     *
     * @param kind UNAVAILABLE if it was not accepted, CANCELLED if it was running or queued
     */
    public EngineClosedException(Kind kind) {
        super(kind, "the server is shutting down");
    }
}
