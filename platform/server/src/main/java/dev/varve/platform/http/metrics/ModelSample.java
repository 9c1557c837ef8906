package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.vision.ImageCounts;

import java.util.Objects;
import java.util.Optional;

/**
 * A snapshot of a model for metrics.
 *
 * @param state current state
 * @param status status of its engine; empty while the model is not ready
 * @param counts numbers of requests, loads and unloads
 * @param images its images; empty while it is not ready, or if it reads text only
 */
public record ModelSample(
        String id,
        State state,
        Optional<EngineStatus> status,
        Counts counts,
        Optional<ImageCounts> images) {
    /** State of a model. */
    public enum State {
        /** Not loaded. */
        UNLOADED,
        /** Loading. */
        LOADING,
        /** Loaded and usable. */
        READY,
        /** Loading or the loaded model failed. */
        FAILED
    }

    /**
     * Counts since the server started.
     *
     * @param requests requests that resolved to the model
     */
    public record Counts(long requests, long loads, long unloads) {}

    /** Checks for null. */
    public ModelSample {
        Objects.requireNonNull(id);
        Objects.requireNonNull(state);
        Objects.requireNonNull(status);
        Objects.requireNonNull(counts);
        Objects.requireNonNull(images);
    }
}
