package dev.varve.api.telemetry;

import java.util.Objects;
import java.util.Optional;

/**
 * The spans of a finished request.
 *
 * @param root span of the request, with the spans of its parts below it
 * @param parent the client's span that it belongs to; empty if it begins a trace of its own
 */
public record FinishedTrace(FinishedSpan root, Optional<TraceParent> parent) {
    /** Refuses null. */
    public FinishedTrace {
        Objects.requireNonNull(root);
        Objects.requireNonNull(parent);
    }
}
