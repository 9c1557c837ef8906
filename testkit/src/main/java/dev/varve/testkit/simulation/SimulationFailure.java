package dev.varve.testkit.simulation;

/** A run that did not end, or left threads behind, or cannot be reproduced. */
public final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1;

    SimulationFailure(String message) {
        super(message);
    }

    SimulationFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
