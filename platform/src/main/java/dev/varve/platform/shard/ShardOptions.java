package dev.varve.platform.shard;

import java.util.Objects;

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
 * @param flashAttention whether attention is one operator
 */
public record ShardOptions(
        CacheTypes cacheTypes,
        int slots,
        int stateRows,
        int regionSlots,
        boolean mapWeights,
        boolean repackWeights,
        FlashAttention flashAttention) {
    public ShardOptions {
        Objects.requireNonNull(cacheTypes);
        Objects.requireNonNull(flashAttention);
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

    /** Flash attention where the device has it. */
    public ShardOptions(
            CacheTypes cacheTypes,
            int slots,
            int stateRows,
            int regionSlots,
            boolean mapWeights,
            boolean repackWeights) {
        this(
                cacheTypes,
                slots,
                stateRows,
                regionSlots,
                mapWeights,
                repackWeights,
                FlashAttention.AUTO);
    }

    /** The same sizes with another attention. */
    public ShardOptions withFlashAttention(FlashAttention other) {
        return new ShardOptions(
                cacheTypes, slots, stateRows, regionSlots, mapWeights, repackWeights, other);
    }
}
