package dev.varve.api.event;

/** Where a block is. */
public enum CacheMedium {
    /** With a finished sequence on the devices. */
    DEVICE,
    /** In host memory. */
    HOST
}
