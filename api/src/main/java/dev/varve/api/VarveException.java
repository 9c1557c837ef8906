package dev.varve.api;

import java.util.Objects;

/**
 * Root of the errors that Varve reports to people. The message says where, what was expected, what
 * was found and, if known, what to do; it never holds prompt text, tokens or keys.
 */
public class VarveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong, in the terms a caller can act on. */
    public enum Kind {
        /** The caller asked for something that cannot be done as asked. */
        INVALID_REQUEST,
        /** Prompt and wanted output do not fit the context. */
        CONTEXT_OVERFLOW,
        /** No plugin serves this model, or the model uses a feature that its plugin lacks. */
        UNSUPPORTED_MODEL,
        /** A file breaks the rules of its format. */
        CORRUPT_FILE,
        /** A file cannot be read. */
        UNREADABLE_FILE,
        /** Weights, KV cache and compute buffers exceed the memory. */
        OUT_OF_MEMORY,
        /** Too many requests wait already. */
        OVERLOADED,
        /** A device, its driver or its library is missing. */
        UNAVAILABLE,
        /** A backend reported a failure while computing. */
        BACKEND_FAILED,
        /** The work was cancelled before it ended. */
        CANCELLED
    }

    private final Kind kind;

    /** An error that has no other one as its cause. */
    public VarveException(Kind kind, String message) {
        super(message);
        this.kind = Objects.requireNonNull(kind);
    }

    /** An error with its cause, which may be null. */
    public VarveException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = Objects.requireNonNull(kind);
    }

    /** Returns what went wrong. */
    public final Kind kind() {
        return kind;
    }
}
