package dev.varve.platform.prefix;

import java.util.Locale;

/** Why nothing of a prompt was found that is computed already. */
public enum MissReason {
    /** No prompt of the scope began like it. */
    UNKNOWN,
    /** Others begin like it, but part from it before the first position that was kept. */
    BEFORE_CHECKPOINT,
    /** What it needs was known, and gave way to others. */
    EVICTED,
    /** It was found, and could not be copied in. */
    FAILED,
    /** The request asked not to use the cache. */
    DISABLED;

    /** The word that people and programs read, such as {@code before_checkpoint}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
