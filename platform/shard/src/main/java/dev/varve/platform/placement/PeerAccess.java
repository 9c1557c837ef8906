package dev.varve.platform.placement;

/** Path of activations and caches between two devices of one backend. */
public enum PeerAccess {
    /** Through the memory of the host. */
    THROUGH_HOST,
    /** Directly from one device to the other, if they support it. */
    DIRECT
}
