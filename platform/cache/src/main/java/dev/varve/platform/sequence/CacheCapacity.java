package dev.varve.platform.sequence;

import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.shard.RollbackBuffers;
import dev.varve.platform.shard.SlotSpan;

import java.util.Optional;

/**
 * Sizes of the caches that sequences share.
 *
 * @param slots KV slots, whole blocks
 * @param stateRows recurrent state rows, the zero row included
 * @param stashes for guessed tokens where state cannot be cut back
 * @param paging how many of the slots a sequence may have; empty for as many as it has tokens
 */
public record CacheCapacity(
        int slots, int stateRows, RollbackBuffers stashes, Optional<PagingOptions> paging) {
    /** Sizes of caches in which sequences have a slot for each token. */
    public CacheCapacity(int slots, int stateRows, RollbackBuffers stashes) {
        this(slots, stateRows, stashes, Optional.empty());
    }

    /** Most slots of one sequence. */
    public int mostSlots(int tokens) {
        int slots = SlotSpan.roundUp(tokens);
        return paging.map(bounded -> Math.min(slots, bounded.poolTokens())).orElse(slots);
    }

    /** The same in which each sequence has a pool of its own. */
    public CacheCapacity with(PagingOptions bounded) {
        return new CacheCapacity(slots, stateRows, stashes, Optional.of(bounded));
    }

    /** Sizes of caches for sequences of which nothing is guessed. */
    public CacheCapacity(int slots, int stateRows) {
        this(slots, stateRows, RollbackBuffers.NONE);
    }
}
