package dev.varve.platform.placement;

/** How activations and caches move between two devices of one backend. */
public enum PeerAccess {
    /** Through the memory of the host. */
    THROUGH_HOST,
    /** From one device to the other, where they can. */
    DIRECT
}
