package dev.varve.platform.placement;

/** How devices are assigned to processes of their own. */
public enum ProcessGrouping {
    /** By the {@link ProcessLocation} of each device. */
    AS_NAMED,
    /**
     * If no device names a process: each device of another backend than the first gets one, or,
     * with one backend, each but the first.
     */
    BY_BACKEND
}
