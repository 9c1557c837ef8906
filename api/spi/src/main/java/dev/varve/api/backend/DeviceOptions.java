package dev.varve.api.backend;

import java.util.OptionalInt;

/**
 * Thread settings of a device.
 *
 * @param threads threads for decode; empty: the physical cores that the cgroup grants
 * @param threadsBatch threads for prefill; empty: as {@code threads}
 * @param sharedCores whether another process computes on the same cores in turn with this one, so
 *     that workers must sleep rather than spin between graphs
 */
public record DeviceOptions(OptionalInt threads, OptionalInt threadsBatch, boolean sharedCores) {
    /** Returns options that let the backend choose. */
    public static DeviceOptions automatic() {
        return new DeviceOptions(OptionalInt.empty(), OptionalInt.empty(), false);
    }
}
