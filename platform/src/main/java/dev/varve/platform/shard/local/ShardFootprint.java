package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ShardOptions;

/**
 * What the caches of a layer range cost.
 *
 * @param bytesPerSlot K and V rows of one token in the full attention layers
 * @param regionSlots slots of one state row's region for the sliding layers
 * @param bytesPerStateRow one recurrent state and one region
 */
public record ShardFootprint(long bytesPerSlot, int regionSlots, long bytesPerStateRow) {
    /** Graphs of decode steps that a shard keeps, each with a compute buffer of its own. */
    public static final int DECODE_GRAPHS = 4;

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

    /**
     * Bytes of all caches of a range.
     *
     * @throws ArithmeticException if there are more than a {@code long} can count
     */
    static long cacheBytes(ModelShape shape, LayerRange range, ShardOptions options) {
        CacheTypes types = options.cacheTypes();
        long full = KvPool.bytesPerSlot(shape, range, LayerState.FullAttention.class, types);
        long sliding = KvPool.bytesPerSlot(shape, range, LayerState.SlidingAttention.class, types);
        long perRow =
                Math.addExact(
                        StateRows.bytesPerRow(shape, range),
                        Math.multiplyExact(sliding, (long) options.regionSlots()));
        return Math.addExact(
                Math.multiplyExact(full, (long) options.slots()),
                Math.multiplyExact(perRow, (long) options.stateRows()));
    }
}
