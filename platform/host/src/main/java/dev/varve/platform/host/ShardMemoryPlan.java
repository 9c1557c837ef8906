package dev.varve.platform.host;

import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.MemoryNeed;

import java.util.Objects;

/**
 * What a shard was planned to need, and of which memory.
 *
 * @param where its device and layers
 * @param need what it needs
 * @param memory name of the memory that it takes from; shards of several devices may share one
 * @param freeBytes what of that memory was free for models
 * @param totalBytes all of that memory
 */
@SuppressWarnings("exports") // see package-info
public record ShardMemoryPlan(
        Placement.Part where, MemoryNeed need, String memory, long freeBytes, long totalBytes) {
    /** Checks that nothing is missing. */
    public ShardMemoryPlan {
        Objects.requireNonNull(where);
        Objects.requireNonNull(need);
        Objects.requireNonNull(memory);
    }
}
