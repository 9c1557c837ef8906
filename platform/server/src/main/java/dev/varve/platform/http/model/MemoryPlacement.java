package dev.varve.platform.http.model;

import java.util.List;
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
     */
    public record ShardStateMemory(String memory, long stateBytes) {
        /** Checks for null. */
        public ShardStateMemory {
            Objects.requireNonNull(memory);
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
