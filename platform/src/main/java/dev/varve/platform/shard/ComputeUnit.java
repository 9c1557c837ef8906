package dev.varve.platform.shard;

import java.util.Objects;

/**
 * The cores or the device that a shard computes on. Shards with equal units take turns, since they
 * would only slow each other.
 *
 * @param identity what stands for the unit in this process; units are equal where these are
 */
public record ComputeUnit(Object identity) {
    /** Checks that there is one. */
    public ComputeUnit {
        Objects.requireNonNull(identity);
    }
}
