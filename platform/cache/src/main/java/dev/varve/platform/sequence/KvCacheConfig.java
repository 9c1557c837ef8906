package dev.varve.platform.sequence;

import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RollbackBufferSizes;

import java.util.Optional;

/**
 * Sizes of the caches that sequences share.
 *
 * @param slots KV slots, whole blocks
 * @param stateRows recurrent state rows, including the zero row
 * @param rollbackBuffers rollback buffers for draft tokens, if state cannot be cut back
 * @param paging bound of the slots of a sequence; empty if it has one slot per token
 */
public record KvCacheConfig(
        int slots,
        int stateRows,
        RollbackBufferSizes rollbackBuffers,
        Optional<PagingOptions> paging) {
    /** Creates sizes with one slot per token of a sequence. */
    public KvCacheConfig(int slots, int stateRows, RollbackBufferSizes rollbackBuffers) {
        this(slots, stateRows, rollbackBuffers, Optional.empty());
    }

    /** Maximum slots of one sequence. */
    public int mostSlots(int tokens) {
        int slots = KvSlotSpan.roundUp(tokens);
        return paging.map(bounded -> Math.min(slots, bounded.poolTokens())).orElse(slots);
    }

    /** Returns the same sizes with a bounded pool per sequence. */
    public KvCacheConfig with(PagingOptions bounded) {
        return new KvCacheConfig(slots, stateRows, rollbackBuffers, Optional.of(bounded));
    }

    /** Creates sizes without speculative decoding. */
    public KvCacheConfig(int slots, int stateRows) {
        this(slots, stateRows, RollbackBufferSizes.NONE);
    }
}
