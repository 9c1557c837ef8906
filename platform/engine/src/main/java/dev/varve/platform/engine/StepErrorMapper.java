package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/** What a client hears of a failure inside the engine. */
final class StepErrorMapper {
    private StepErrorMapper() {}

    /** The failure itself where it is made to be read, else one that hides the details. */
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
