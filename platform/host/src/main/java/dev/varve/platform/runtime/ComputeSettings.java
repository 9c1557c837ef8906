package dev.varve.platform.runtime;

import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.Numerics;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.WeightLayout;

import java.util.Objects;

/**
 * Compute settings of all shards of a model.
 *
 * @param cacheTypes element types of the KV cache
 * @param weights memory layout of the weights
 * @param numerics settings that affect the last bits of results
 * @param expertCacheBytes memory for experts of all shards together, if weights are streamed; 0 if
 *     the free memory determines it
 * @param expertUse where the use of experts is recorded, if weights are streamed
 */
public record ComputeSettings(
        CacheTypes cacheTypes,
        WeightLayout weights,
        Numerics numerics,
        long expertCacheBytes,
        ExpertUseFolder expertUse) {
    /** Checks that nothing is missing. */
    public ComputeSettings {
        Objects.requireNonNull(cacheTypes);
        Objects.requireNonNull(weights);
        Objects.requireNonNull(numerics);
        Objects.requireNonNull(expertUse);
    }

    /** Creates settings without a size of the cache of experts. */
    public ComputeSettings(CacheTypes cacheTypes, WeightLayout weights, Numerics numerics) {
        this(cacheTypes, weights, numerics, 0, ExpertUseFolder.inCache());
    }

    /** Defaults: a cache of F16, repacked weights, the device's preferred numerics. */
    public static ComputeSettings defaults() {
        return new ComputeSettings(CacheTypes.f16(), WeightLayout.REPACKED, Numerics.AUTO);
    }

    /** Returns a copy with other cache types. */
    public ComputeSettings with(CacheTypes other) {
        return new ComputeSettings(other, weights, numerics, expertCacheBytes, expertUse);
    }

    /** Returns a copy with another weight layout. */
    public ComputeSettings with(WeightLayout other) {
        return new ComputeSettings(cacheTypes, other, numerics, expertCacheBytes, expertUse);
    }

    /** Returns a copy with another attention setting. */
    public ComputeSettings with(FlashAttention other) {
        return new ComputeSettings(
                cacheTypes,
                weights,
                new Numerics(other, numerics.exactRows()),
                expertCacheBytes,
                expertUse);
    }

    /** Returns a copy with another batch invariance setting. */
    public ComputeSettings with(BatchInvariance other) {
        return new ComputeSettings(
                cacheTypes,
                weights,
                new Numerics(numerics.flashAttention(), other),
                expertCacheBytes,
                expertUse);
    }

    /** Returns a copy with another size of the cache of experts. */
    public ComputeSettings withExpertCache(long bytes) {
        return new ComputeSettings(cacheTypes, weights, numerics, bytes, expertUse);
    }

    /** Returns the options of a shard with the given cache sizes. */
    public ShardOptions shardOptions(CacheCapacities capacities) {
        return ShardOptions.of(cacheTypes, capacities)
                .withWeights(weights)
                .withNumerics(numerics)
                .withExpertCache(expertCacheBytes);
    }
}
