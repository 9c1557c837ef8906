package dev.varve.platform.runtime;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * Host memory for computed prompts, worked out before anything is loaded.
 *
 * @param bytes most that it will take; 0 for none
 * @param leftBytes host memory that is free beside the model; empty if nobody knows
 */
public record HostCachePlan(long bytes, OptionalLong leftBytes) {
    /** Nothing is kept in host memory. */
    public static final HostCachePlan NONE = new HostCachePlan(0, OptionalLong.empty());

    /** Checks that nothing is missing. */
    public HostCachePlan {
        Objects.requireNonNull(leftBytes);
    }

    /** Whether there is any. */
    public boolean isPresent() {
        return bytes > 0;
    }

    /** One line for people: how much it is, and of how much. */
    public String describe() {
        String size = "host cache " + MemoryPlan.mebibytes(bytes);
        return leftBytes.isEmpty()
                ? size
                : size
                        + " of "
                        + MemoryPlan.mebibytes(leftBytes.getAsLong())
                        + " that the model leaves free";
    }
}
