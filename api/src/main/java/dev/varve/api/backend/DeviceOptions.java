package dev.varve.api.backend;

import java.util.OptionalInt;

/**
 * How a device computes.
 *
 * @param threads threads for decode; empty: the physical cores that the cgroup grants
 * @param threadsBatch threads for prefill; empty: as {@code threads}
 */
public record DeviceOptions(OptionalInt threads, OptionalInt threadsBatch) {
    /** Lets the backend choose. */
    public static DeviceOptions automatic() {
        return new DeviceOptions(OptionalInt.empty(), OptionalInt.empty());
    }
}
