package dev.varve.platform.host;

/** Whether processes share the processor's cores. */
enum CpuSharingMode {
    /** One process of a model computes on them. */
    ALONE,
    /** Several processes compute on them in turn. */
    SHARED
}
