package dev.varve.platform.store;

import java.util.Locale;

/** An object could not be read; whoever wants it does without. */
public final class ArchiveMissException extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    /** Why. */
    public enum Reason {
        /** It is not there any more. */
        ABSENT,
        /** Some of its bytes are not those that were written. */
        CORRUPT,
        /** It is not what was looked for. */
        MISMATCH,
        /** The disk or the store failed. */
        UNREADABLE;

        /** The word that people and programs read. */
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

    /** Why it could not be read. */
    public Reason reason() {
        return reason;
    }
}
