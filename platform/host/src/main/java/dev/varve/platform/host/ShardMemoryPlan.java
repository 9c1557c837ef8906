package dev.varve.platform.host;

import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.MemoryNeed;
import dev.varve.platform.runtime.OtherDeviceMemory;

import java.util.List;
import java.util.Objects;

/**
 * Planned memory of a shard.
 *
 * @param where its device and layers
 * @param need bytes of its parts
 * @param memory name of the memory that it uses; shards of several devices may share one
 * @param freeBytes bytes of that memory that were free for models
 * @param totalBytes size of that memory
 * @param others memory of its weights on other devices
 */
@SuppressWarnings("exports") // see package-info
public record ShardMemoryPlan(
        Placement.Part where,
        MemoryNeed need,
        String memory,
        long freeBytes,
        long totalBytes,
        List<Other> others) {
    /** Weights on another device, with the free bytes and the size of its memory. */
    public record Other(OtherDeviceMemory plan, long freeBytes, long totalBytes) {}

    /** Checks that nothing is missing. */
    public ShardMemoryPlan {
        Objects.requireNonNull(where);
        Objects.requireNonNull(need);
        Objects.requireNonNull(memory);
        others = List.copyOf(others);
    }
}
