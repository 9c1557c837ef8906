package dev.varve.platform.http.model;

import java.util.List;
import java.util.Objects;

/**
 * Where the shards of a model take their memory, as it was planned before they were loaded.
 *
 * @param shards in layer order; empty where nothing is known of them
 * @param memories those that they take from
 */
public record ModelPlacement(List<Planned> shards, List<Memory> memories) {
    /** Nothing is known. */
    public static final ModelPlacement UNKNOWN = new ModelPlacement(List.of(), List.of());

    /** Copies the lists. */
    public ModelPlacement {
        shards = List.copyOf(shards);
        memories = List.copyOf(memories);
    }

    /**
     * A shard.
     *
     * @param memory name of the memory that it takes from
     * @param stateBytes of its caches, those for recurrent states and sliding windows
     */
    public record Planned(String memory, long stateBytes) {
        /** Checks that nothing is missing. */
        public Planned {
            Objects.requireNonNull(memory);
        }
    }

    /**
     * A memory, which several shards may share.
     *
     * @param name a device, or {@value #HOST}
     * @param limitBytes what was free for models when this one was planned
     * @param totalBytes all of it
     */
    public record Memory(String name, long limitBytes, long totalBytes) {
        /** Name of the memory that the processor's cores share. */
        public static final String HOST = "host";

        /** Checks that nothing is missing. */
        public Memory {
            Objects.requireNonNull(name);
        }
    }
}
