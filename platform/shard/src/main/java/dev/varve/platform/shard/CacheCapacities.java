package dev.varve.platform.shard;

import java.util.Objects;

/**
 * Capacities of the caches of a shard.
 *
 * @param slots KV slots of the pool, a multiple of {@link KvSlotSpan#BLOCK}
 * @param stateRows recurrent state rows, the zero row included
 * @param regionSlots slots per state row for the sliding layers, a multiple of {@link
 *     KvSlotSpan#BLOCK}; 0 without sliding layers
 * @param rollbackBuffers rollback buffers for drafted chunks
 */
public record CacheCapacities(
        int slots, int stateRows, int regionSlots, RollbackBufferSizes rollbackBuffers) {
    /** The zero row and one writable row. */
    private static final int LEAST_ROWS = 2;

    /** Checks that blocks are whole and that at least one sequence fits. */
    public CacheCapacities {
        if (regionSlots < 0 || regionSlots % KvSlotSpan.BLOCK != 0) {
            throw new IllegalArgumentException(
                    "window regions need whole blocks of slots, got " + regionSlots);
        }
        if (slots <= 0 || slots % KvSlotSpan.BLOCK != 0 || stateRows < LEAST_ROWS) {
            throw new IllegalArgumentException(
                    "shard needs whole blocks of slots and at least 2 state rows, got "
                            + slots
                            + " slots, "
                            + stateRows
                            + " rows");
        }
        Objects.requireNonNull(rollbackBuffers);
    }

    /** Creates sizes for sequences without draft tokens. */
    public CacheCapacities(int slots, int stateRows, int regionSlots) {
        this(slots, stateRows, regionSlots, RollbackBufferSizes.NONE);
    }
}
