package dev.varve.platform.prefix;

import java.util.Locale;

/** Reason of a prefix cache miss. */
public enum MissReason {
    /** No prompt of the scope began like it. */
    UNKNOWN,
    /** Other prompts begin like it, but diverge before the first checkpoint. */
    BEFORE_CHECKPOINT,
    /** The prefix was cached, and was evicted. */
    EVICTED,
    /** The prefix was found, but could not be copied to the devices. */
    FAILED,
    /** The request disabled the cache. */
    DISABLED;

    /** Name in responses and metrics, such as {@code before_checkpoint}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
