package dev.varve.platform.prefix;

/** When a long prompt is sent to a prefill peer. */
public enum HandOffMode {
    /** When a peer and the transfer are expected to be sooner than this server. */
    MEASURED,
    /** Whenever a peer is available. */
    ALWAYS
}
