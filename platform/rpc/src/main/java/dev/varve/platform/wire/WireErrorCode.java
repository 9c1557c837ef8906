package dev.varve.platform.wire;

import dev.varve.api.VarveException.Kind;

/** Error codes of requests; their numbers on the wire never change. */
public enum WireErrorCode {
    INVALID_REQUEST(1, Kind.INVALID_REQUEST),
    CONTEXT_OVERFLOW(2, Kind.CONTEXT_OVERFLOW),
    UNSUPPORTED_MODEL(3, Kind.UNSUPPORTED_MODEL),
    CORRUPT_FILE(4, Kind.CORRUPT_FILE),
    UNREADABLE_FILE(5, Kind.UNREADABLE_FILE),
    OUT_OF_MEMORY(6, Kind.OUT_OF_MEMORY),
    OVERLOADED(7, Kind.OVERLOADED),
    UNAVAILABLE(8, Kind.UNAVAILABLE),
    BACKEND_FAILED(9, Kind.BACKEND_FAILED),
    CANCELLED(10, Kind.CANCELLED),
    /** The handler failed unexpectedly. */
    INTERNAL(11, Kind.BACKEND_FAILED),
    /** The other side does not support this message type. */
    UNSUPPORTED(12, Kind.INVALID_REQUEST),
    /** No response within the deadline; created by the waiting side. */
    DEADLINE(13, Kind.UNAVAILABLE),
    /** The message is larger than the byte credit. */
    TOO_LARGE(14, Kind.INVALID_REQUEST),
    /** The token is wrong or missing. */
    NOT_TRUSTED(15, Kind.UNAVAILABLE);

    private final int number;
    private final Kind kind;

    WireErrorCode(int number, Kind kind) {
        this.number = number;
        this.kind = kind;
    }

    /** Returns the kind of the exception that the caller receives. */
    public Kind kind() {
        return kind;
    }

    int number() {
        return number;
    }

    /** Returns the code of an exception's kind. */
    public static WireErrorCode of(Kind kind) {
        return switch (kind) {
            case INVALID_REQUEST -> INVALID_REQUEST;
            case CONTEXT_OVERFLOW -> CONTEXT_OVERFLOW;
            case UNSUPPORTED_MODEL -> UNSUPPORTED_MODEL;
            case CORRUPT_FILE -> CORRUPT_FILE;
            case UNREADABLE_FILE -> UNREADABLE_FILE;
            case OUT_OF_MEMORY -> OUT_OF_MEMORY;
            case OVERLOADED -> OVERLOADED;
            case UNAVAILABLE -> UNAVAILABLE;
            case BACKEND_FAILED -> BACKEND_FAILED;
            case CANCELLED -> CANCELLED;
        };
    }

    static WireErrorCode of(int number) throws FrameException {
        for (WireErrorCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        throw new FrameException("error code: " + number + " is not known");
    }
}
