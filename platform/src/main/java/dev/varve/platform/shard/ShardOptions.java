package dev.varve.platform.shard;

import java.util.List;
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
 * @param exactRows what the numbers of a token may depend on
 * @param captures layers whose input batches may ask for, ascending; the layer count stands for the
 *     last layer's output
 */
public record ShardOptions(
        CacheTypes cacheTypes,
        int slots,
        int stateRows,
        int regionSlots,
        boolean mapWeights,
        boolean repackWeights,
        FlashAttention flashAttention,
        ExactRows exactRows,
        List<Integer> captures) {
    public ShardOptions {
        captures = List.copyOf(captures);
        for (int i = 0; i < captures.size(); i++) {
            if (captures.get(i) < (i == 0 ? 0 : captures.get(i - 1) + 1)) {
                throw new IllegalArgumentException(
                        "captured layers must ascend from 0 on, got " + captures);
            }
        }
        Objects.requireNonNull(cacheTypes);
        Objects.requireNonNull(flashAttention);
        Objects.requireNonNull(exactRows);
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

    /** Flash attention where the device has it, exact rows where they are cheap. */
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
                FlashAttention.AUTO,
                ExactRows.AUTO,
                List.of());
    }

    /** The same sizes with another attention. */
    public ShardOptions withFlashAttention(FlashAttention other) {
        return new ShardOptions(
                cacheTypes,
                slots,
                stateRows,
                regionSlots,
                mapWeights,
                repackWeights,
                other,
                exactRows,
                captures);
    }

    /** The same sizes with other demands on the numbers of a token. */
    public ShardOptions withExactRows(ExactRows other) {
        return new ShardOptions(
                cacheTypes,
                slots,
                stateRows,
                regionSlots,
                mapWeights,
                repackWeights,
                flashAttention,
                other,
                captures);
    }

    /** The same sizes with other captures. */
    public ShardOptions withCaptures(List<Integer> layers) {
        return new ShardOptions(
                cacheTypes,
                slots,
                stateRows,
                regionSlots,
                mapWeights,
                repackWeights,
                flashAttention,
                exactRows,
                layers);
    }
}
