package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

/**
 * What the caches of a layer range cost.
 *
 * @param bytesPerSlot K and V rows of one token in the full attention layers
 * @param regionSlots slots of one state row's region for the sliding layers
 * @param bytesPerStateRow one recurrent state and one region
 */
public record ShardFootprint(long bytesPerSlot, int regionSlots, long bytesPerStateRow) {
    /**
     * Sums the layers of a range.
     *
     * @param chunk most tokens of a sequence in one batch
     * @param contextTokens most tokens of a sequence
     */
    public static ShardFootprint of(
            ModelShape shape, LayerRange range, CacheTypes types, int chunk, int contextTokens) {
        int region =
                shape.window().isPresent()
                        ? WindowPool.regionSlots(shape.window().getAsInt(), chunk, contextTokens)
                        : 0;
        long window =
                KvPool.bytesPerSlot(shape, range, LayerState.SlidingAttention.class, types)
                        * region;
        return new ShardFootprint(
                KvPool.bytesPerSlot(shape, range, LayerState.FullAttention.class, types),
                region,
                StateRows.bytesPerRow(shape, range) + window);
    }
}
