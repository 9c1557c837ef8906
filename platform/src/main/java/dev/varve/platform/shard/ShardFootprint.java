package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelShape;

/**
 * What the caches of a layer range cost.
 *
 * @param bytesPerSlot K and V rows of one token
 * @param bytesPerStateRow one recurrent state
 */
public record ShardFootprint(long bytesPerSlot, long bytesPerStateRow) {
    /** Sums the layers of a range. */
    public static ShardFootprint of(ModelShape shape, LayerRange range, CacheTypes types) {
        return new ShardFootprint(
                KvPool.bytesPerSlot(shape, range, types), StateRows.bytesPerRow(shape, range));
    }
}
