package dev.varve.platform.sequence;

import dev.varve.platform.shard.Stashes;

/**
 * Sizes of the caches that sequences share.
 *
 * @param slots KV slots, whole blocks
 * @param stateRows recurrent state rows, the zero row included
 * @param stashes for guessed tokens where state cannot be cut back
 */
public record CacheCapacity(int slots, int stateRows, Stashes stashes) {
    /** Sizes of caches for sequences of which nothing is guessed. */
    public CacheCapacity(int slots, int stateRows) {
        this(slots, stateRows, Stashes.NONE);
    }
}
