package dev.varve.platform.prefix;

/** Something that is brought from a store to host memory for a request that waits. */
public interface PrefixLoad {
    /** Whether nothing more comes of it. */
    boolean isOver();
}
