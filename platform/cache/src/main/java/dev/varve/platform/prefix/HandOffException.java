package dev.varve.platform.prefix;

import java.util.Objects;

/** A peer did not compute a prompt; this server computes it. */
public final class HandOffException extends Exception {
    private static final long serialVersionUID = 1;

    private final HandOffOutcome outcome;

    /** Creates a failure with its outcome for the statistics, and a message for the log. */
    public HandOffException(HandOffOutcome outcome, String message) {
        super(message);
        this.outcome = Objects.requireNonNull(outcome);
    }

    /** Why the prompt was not computed. */
    public HandOffOutcome outcome() {
        return outcome;
    }
}
