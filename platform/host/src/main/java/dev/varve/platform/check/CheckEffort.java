package dev.varve.platform.check;

/** How much is checked. */
public enum CheckEffort {
    /** Enough to find a faulty device, in about a minute on a processor. */
    QUICK,

    /** More models, positions, types and sizes. */
    FULL
}
