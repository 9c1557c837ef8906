package dev.varve.api.event;

import java.util.Objects;
import java.util.OptionalLong;

/** A change of the blocks in a server's prefix cache. */
public sealed interface CacheEvent {
    /**
     * A block was stored.
     *
     * @param block its number, which identifies all tokens up to its end and the scope of the
     *     clients that may reuse it; the same on all servers
     * @param parent number of the block before it; empty for the first one
     * @param tokens tokens of the block; not to be modified
     * @param medium medium that holds it; several may hold the same block
     */
    record Stored(long block, OptionalLong parent, int[] tokens, CacheMedium medium)
            implements CacheEvent {
        /** Refuses null. */
        public Stored {
            Objects.requireNonNull(parent);
            Objects.requireNonNull(tokens);
            Objects.requireNonNull(medium);
        }
    }

    /** A block was removed from a medium. */
    record Removed(long block, CacheMedium medium) implements CacheEvent {
        /** Refuses null. */
        public Removed {
            Objects.requireNonNull(medium);
        }
    }

    /**
     * The cache is empty, or earlier events may be wrong: discard them. Events for the blocks that
     * exist follow.
     */
    record Cleared() implements CacheEvent {}
}
