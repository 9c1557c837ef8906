package dev.varve.api;

import java.util.Objects;

/**
 * Root of the errors that Varve reports to users. The message says where, what was expected, what
 * was found and, if known, what to do. It never holds prompt text, tokens or keys.
 *
 * @since 0.1.0
 */
public class VarveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Kind of the error, in terms that a caller can act on. */
    public enum Kind {
        /** The request cannot be carried out as it was made. */
        INVALID_REQUEST,
        /** Prompt and requested output exceed the context. */
        CONTEXT_OVERFLOW,
        /** No plugin serves this model, or the model uses a feature that its plugin lacks. */
        UNSUPPORTED_MODEL,
        /** A file breaks the rules of its format. */
        CORRUPT_FILE,
        /** A file cannot be read. */
        UNREADABLE_FILE,
        /** Weights, KV cache and compute buffers exceed the memory. */
        OUT_OF_MEMORY,
        /** The queue of requests is full. */
        OVERLOADED,
        /** A device, its driver or its library is missing. */
        UNAVAILABLE,
        /** A backend reported a failure while computing. */
        BACKEND_FAILED,
        /** The work was cancelled before it finished. */
        CANCELLED
    }

    private final Kind kind;

    /** Creates an error without a cause. */
    public VarveException(Kind kind, String message) {
        super(message);
        this.kind = Objects.requireNonNull(kind);
    }

    /** Creates an error with a cause, which may be null. */
    public VarveException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = Objects.requireNonNull(kind);
    }

    /** Returns the kind of the error. */
    public final Kind kind() {
        return kind;
    }
}
