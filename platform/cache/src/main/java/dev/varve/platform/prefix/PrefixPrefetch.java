package dev.varve.platform.prefix;

/** A load from a store into host memory for a queued request. */
public interface PrefixPrefetch {
    /** Whether the load has ended, with or without success. */
    boolean isOver();
}
