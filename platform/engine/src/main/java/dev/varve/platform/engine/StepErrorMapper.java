package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/** Maps failures inside the engine to errors for clients. */
final class StepErrorMapper {
    private StepErrorMapper() {}

    /** Returns the failure itself if it is meant for clients, else one without details. */
    static VarveException of(Throwable failure) {
        return switch (failure) {
            case VarveException known -> known;
            case OutOfMemoryError memory ->
                    new VarveException(
                            VarveException.Kind.OUT_OF_MEMORY,
                            "the server has not enough memory for the request",
                            memory);
            default ->
                    new VarveException(
                            VarveException.Kind.BACKEND_FAILED, "a step failed", failure);
        };
    }
}
