package dev.varve.platform.prefix;

import java.util.Locale;

/** Source of a cached prefix. */
public enum CacheSource {
    /** A sequence that was still on the devices. */
    DEVICE,
    /** Host memory. */
    HOST,
    /** A disk, by way of host memory. */
    DISK,
    /** A store shared by several servers, by way of host memory. */
    SHARED,
    /** A prefill peer that computed it, by way of host memory. */
    PEER;

    /** Name in responses and metrics, such as {@code host}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
