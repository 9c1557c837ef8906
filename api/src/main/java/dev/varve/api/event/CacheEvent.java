package dev.varve.api.event;

import java.util.Objects;
import java.util.OptionalLong;

/** Something that a server has, or has no more. */
public sealed interface CacheEvent {
    /**
     * A block is there.
     *
     * @param block its number, which stands for all tokens up to its end and for the scope of
     *     whoever may go on with it; the same on all servers
     * @param parent number of the block before it; empty for the first one
     * @param tokens of the block, not to be changed
     * @param medium where it is; the same block may be in several
     */
    record Stored(long block, OptionalLong parent, int[] tokens, CacheMedium medium)
            implements CacheEvent {
        /** Checks that nothing is missing. */
        public Stored {
            Objects.requireNonNull(parent);
            Objects.requireNonNull(tokens);
            Objects.requireNonNull(medium);
        }
    }

    /** A block is gone from a medium. */
    record Removed(long block, CacheMedium medium) implements CacheEvent {
        /** Checks that nothing is missing. */
        public Removed {
            Objects.requireNonNull(medium);
        }
    }

    /** Nothing is there any more, or what was told may be wrong: what is there follows. */
    record Cleared() implements CacheEvent {}
}
