package dev.varve.platform.runtime;

import dev.varve.platform.setting.ByteCount;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * Planned host memory for cached prefixes, computed before anything is loaded.
 *
 * @param bytes most bytes that it uses; 0 for none
 * @param leftBytes host memory that is free beside the model; empty if unknown
 */
public record HostCachePlan(long bytes, OptionalLong leftBytes) {
    /** No host memory. */
    public static final HostCachePlan NONE = new HostCachePlan(0, OptionalLong.empty());

    /** Checks that nothing is missing. */
    public HostCachePlan {
        Objects.requireNonNull(leftBytes);
    }

    /** Whether host memory is used. */
    public boolean isPresent() {
        return bytes > 0;
    }

    /** Returns one line for messages: its size, and the free memory. */
    public String describe() {
        String size = "host cache " + ByteCount.format(bytes);
        return leftBytes.isEmpty()
                ? size
                : size
                        + " of "
                        + ByteCount.format(leftBytes.getAsLong())
                        + " that the model leaves free";
    }
}
