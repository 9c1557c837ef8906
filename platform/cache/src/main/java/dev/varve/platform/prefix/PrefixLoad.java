package dev.varve.platform.prefix;

/** A load from a store into host memory for a queued request. */
public interface PrefixLoad {
    /** Whether the load has ended, with or without success. */
    boolean isOver();
}
