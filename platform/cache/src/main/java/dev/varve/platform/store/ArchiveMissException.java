package dev.varve.platform.store;

import java.util.Locale;

/** An object could not be read; the caller continues without it. */
public final class ArchiveMissException extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    /** Reason of a miss. */
    public enum Reason {
        /** It does not exist any more. */
        ABSENT,
        /** Some of its bytes differ from the written ones. */
        CORRUPT,
        /** It is not the requested object. */
        MISMATCH,
        /** The disk or the store failed. */
        UNREADABLE;

        /** Name in responses and metrics. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    ArchiveMissException(Reason reason, String message) {
        this(reason, message, null);
    }

    ArchiveMissException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Reason of the miss. */
    public Reason reason() {
        return reason;
    }
}
