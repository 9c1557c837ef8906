package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.EngineStatus;

import java.util.Objects;
import java.util.Optional;

/**
 * A model of several at a moment.
 *
 * @param state what it is
 * @param status of its engine; empty while it is not loaded
 * @param counts what happened to it
 */
public record ModelSample(String id, State state, Optional<EngineStatus> status, Counts counts) {
    /** What a model is at a moment. */
    public enum State {
        /** It is in a file alone. */
        UNLOADED,
        /** It is on its way to memory. */
        LOADING,
        /** It answers. */
        READY,
        /** It could not be loaded. */
        FAILED
    }

    /**
     * What happened since the server started.
     *
     * @param requests that it was chosen for
     */
    public record Counts(long requests, long loads, long unloads) {}

    /** Checks that nothing is missing. */
    public ModelSample {
        Objects.requireNonNull(id);
        Objects.requireNonNull(state);
        Objects.requireNonNull(status);
        Objects.requireNonNull(counts);
    }
}
