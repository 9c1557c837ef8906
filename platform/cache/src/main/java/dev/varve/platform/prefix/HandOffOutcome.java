package dev.varve.platform.prefix;

import java.util.Locale;

/** Result of a hand-off: a peer computed the prompt, or the reason why this server does. */
public enum HandOffOutcome {
    /** A peer computed it, and this server adopted its blocks. */
    ADOPTED,
    /** This server computed it, because that was expected to be sooner. */
    FASTER_HERE,
    /** This server computed it, because no peer was connected, or all were suspended or busy. */
    UNAVAILABLE,
    /** This server computed it, because the peer refused it. */
    REFUSED,
    /** This server computed it, because the peer exceeded the time limit. */
    SLOW,
    /** This server computed it, because the connection to the peer was lost. */
    LOST,
    /** This server computed it or a part of it, because blocks were missing or invalid. */
    INCOMPLETE,
    /** The request ended before its prompt was computed. */
    CANCELLED;

    /** Name in metrics, such as {@code faster_here}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the peer is suspended for a while. */
    boolean suspends() {
        return this == REFUSED || this == SLOW || this == LOST || this == INCOMPLETE;
    }
}
