package dev.varve.platform.http.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Memories in which the shards of a model allocate, as planned before they were loaded.
 *
 * @param shards in layer order; empty if unknown
 * @param memories memories that the shards use
 */
public record MemoryPlacement(List<ShardStateMemory> shards, List<MemoryDomain> memories) {
    /** An unknown placement. */
    public static final MemoryPlacement UNKNOWN = new MemoryPlacement(List.of(), List.of());

    /** Copies the lists. */
    public MemoryPlacement {
        shards = List.copyOf(shards);
        memories = List.copyOf(memories);
    }

    /**
     * A shard.
     *
     * @param memory name of the memory that it uses
     * @param stateBytes bytes of its caches for recurrent states and sliding windows
     * @param weightShares shares of its weights that are in other memories, 0 to 1, by their names
     */
    public record ShardStateMemory(
            String memory, long stateBytes, Map<String, Double> weightShares) {
        /** Checks for null. */
        public ShardStateMemory {
            Objects.requireNonNull(memory);
            weightShares = Map.copyOf(weightShares);
        }

        /** Creates a shard with all weights in one memory. */
        public ShardStateMemory(String memory, long stateBytes) {
            this(memory, stateBytes, Map.of());
        }

        /** Returns the share of the weights in a memory. */
        double shareIn(String name) {
            double others = weightShares.values().stream().mapToDouble(Double::doubleValue).sum();
            return weightShares.getOrDefault(name, 0.0) + (name.equals(memory) ? 1 - others : 0);
        }
    }

    /**
     * A memory, which several shards may share.
     *
     * @param name a device, or {@value #HOST}
     * @param limitBytes bytes that were free for models when this one was planned
     * @param totalBytes bytes of the whole memory
     */
    public record MemoryDomain(String name, long limitBytes, long totalBytes) {
        /** Name of the memory of the CPU. */
        public static final String HOST = "host";

        /** Checks for null. */
        public MemoryDomain {
            Objects.requireNonNull(name);
        }
    }
}
