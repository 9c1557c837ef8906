package dev.varve.platform.prefix;

import java.util.Locale;

/** Where the computed beginning of a prompt came from. */
public enum CacheSource {
    /** A sequence that was still on the devices. */
    DEVICE,
    /** Host memory. */
    HOST,
    /** A disk, from where it came by way of host memory. */
    DISK,
    /** A store that several servers share, from where it came by way of host memory. */
    SHARED;

    /** The word that people and programs read, such as {@code host}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
