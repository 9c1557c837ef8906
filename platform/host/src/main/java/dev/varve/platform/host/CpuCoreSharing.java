package dev.varve.platform.host;

/** Who computes on the processor's cores. */
enum CpuCoreSharing {
    /** One process of a model. */
    ALONE,
    /** Several, which take turns. */
    SHARED
}
