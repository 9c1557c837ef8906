package dev.varve.platform.engine;

import java.util.concurrent.CompletableFuture;

/** Order of an operator to move all requests of an engine to other engines. Thread-safe. */
final class Evacuation {
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile boolean requested;

    /** Requests the evacuation; returns a future that completes when the engine has no requests. */
    CompletableFuture<Void> request() {
        requested = true;
        return end;
    }

    /** Returns whether it was requested and has not ended. */
    boolean isPending() {
        return requested && !end.isDone();
    }

    /** Completes the future: the engine has no requests, and accepts none. */
    void end() {
        end.complete(null);
    }
}
