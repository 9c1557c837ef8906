package dev.varve.api.event;

/** Medium that holds a block. */
public enum CacheMedium {
    /** Device memory, with a finished sequence. */
    DEVICE,
    /** Host memory. */
    HOST
}
