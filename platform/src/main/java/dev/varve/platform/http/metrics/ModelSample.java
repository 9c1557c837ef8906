package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.EngineStatus;

import java.util.Objects;
import java.util.Optional;

/**
 * A model of several at a moment.
 *
 * @param status of its engine; empty while it is not loaded
 * @param counts what happened to it
 */
public record ModelSample(String id, Optional<EngineStatus> status, Counts counts) {
    /**
     * What happened since the server started.
     *
     * @param requests that it was chosen for
     */
    public record Counts(long requests, long loads, long unloads) {}

    /** Checks that nothing is missing. */
    public ModelSample {
        Objects.requireNonNull(id);
        Objects.requireNonNull(status);
        Objects.requireNonNull(counts);
    }
}
