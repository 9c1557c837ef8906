package dev.varve.platform.shard;

import java.util.Objects;

/**
 * Capacities of the caches of a shard.
 *
 * @param slots KV slots of the pool, a multiple of {@link SlotSpan#BLOCK}
 * @param stateRows recurrent state rows, the zero row included
 * @param regionSlots slots per state row for the sliding layers, a multiple of {@link
 *     SlotSpan#BLOCK}; 0 without sliding layers
 * @param rollbackBuffers rollback buffers for drafted chunks
 */
public record CacheSizes(
        int slots, int stateRows, int regionSlots, RollbackBuffers rollbackBuffers) {
    /** The zero row and one writable row. */
    private static final int LEAST_ROWS = 2;

    /** Checks that blocks are whole and that at least one sequence fits. */
    public CacheSizes {
        if (regionSlots < 0 || regionSlots % SlotSpan.BLOCK != 0) {
            throw new IllegalArgumentException(
                    "window regions need whole blocks of slots, got " + regionSlots);
        }
        if (slots <= 0 || slots % SlotSpan.BLOCK != 0 || stateRows < LEAST_ROWS) {
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
    public CacheSizes(int slots, int stateRows, int regionSlots) {
        this(slots, stateRows, regionSlots, RollbackBuffers.NONE);
    }
}
