package dev.varve.platform.shard;

/**
 * Sizes of a shard.
 *
 * @param cacheTypes element types of the KV cache
 * @param slots KV slots of the pool, a multiple of {@link SlotSpan#BLOCK}
 * @param stateRows recurrent state rows, the zero row included
 * @param regionSlots slots per state row for the sliding layers, a multiple of {@link
 *     SlotSpan#BLOCK}; 0 where none slides
 * @param mapWeights whether weights that need no repacking stay in the mapped file
 * @param repackWeights whether matrices go to the device's repacking buffer types where these take
 *     them
 */
public record ShardOptions(
        CacheTypes cacheTypes,
        int slots,
        int stateRows,
        int regionSlots,
        boolean mapWeights,
        boolean repackWeights) {
    public ShardOptions {
        if (regionSlots < 0 || regionSlots % SlotSpan.BLOCK != 0) {
            throw new IllegalArgumentException(
                    "window regions need whole blocks of slots, got " + regionSlots);
        }
        if (slots <= 0 || slots % SlotSpan.BLOCK != 0 || stateRows < 2) {
            throw new IllegalArgumentException(
                    "shard needs whole blocks of slots and at least 2 state rows, got "
                            + slots
                            + " slots, "
                            + stateRows
                            + " rows");
        }
    }
}
