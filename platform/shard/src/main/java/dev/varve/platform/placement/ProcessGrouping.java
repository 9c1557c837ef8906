package dev.varve.platform.placement;

/** Who decides which devices get a process of their own. */
public enum ProcessGrouping {
    /** Those that say so by their {@link ProcessLocation}. */
    AS_NAMED,
    /**
     * If none says so: the devices of other backends than the first get one each, or all but the
     * first where there is one backend.
     */
    BY_BACKEND
}
