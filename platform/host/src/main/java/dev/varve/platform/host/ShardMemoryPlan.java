package dev.varve.platform.host;

import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.MemoryNeed;

import java.util.Objects;

/**
 * Planned memory of a shard.
 *
 * @param where its device and layers
 * @param need bytes of its parts
 * @param memory name of the memory that it uses; shards of several devices may share one
 * @param freeBytes bytes of that memory that were free for models
 * @param totalBytes size of that memory
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
