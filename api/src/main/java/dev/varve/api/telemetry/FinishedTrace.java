package dev.varve.api.telemetry;

import java.util.Objects;
import java.util.Optional;

/**
 * What became of a request.
 *
 * @param root the request, and below it what was done for it
 * @param parent the client's span that it belongs to; empty where it begins a trace of its own
 */
public record FinishedTrace(FinishedSpan root, Optional<TraceParent> parent) {
    /** Checks that nothing is missing. */
    public FinishedTrace {
        Objects.requireNonNull(root);
        Objects.requireNonNull(parent);
    }
}
