package dev.varve.platform.runtime;

import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheSizes;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.Numerics;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.WeightLayout;

import java.util.Objects;

/**
 * How the shards of a model compute, all of them alike.
 *
 * @param cacheTypes element types of the KV cache
 * @param weights how the weights lie in memory
 * @param numerics what decides the last bits of the numbers
 */
public record ComputeSettings(CacheTypes cacheTypes, WeightLayout weights, Numerics numerics) {
    /** Checks that nothing is missing. */
    public ComputeSettings {
        Objects.requireNonNull(cacheTypes);
        Objects.requireNonNull(weights);
        Objects.requireNonNull(numerics);
    }

    /** A cache of F16, repacked weights, numerics as the device likes them. */
    public static ComputeSettings defaults() {
        return new ComputeSettings(CacheTypes.f16(), WeightLayout.REPACKED, Numerics.AUTO);
    }

    /** The same with a cache of other types. */
    public ComputeSettings with(CacheTypes other) {
        return new ComputeSettings(other, weights, numerics);
    }

    /** The same with weights that lie otherwise. */
    public ComputeSettings with(WeightLayout other) {
        return new ComputeSettings(cacheTypes, other, numerics);
    }

    /** The same with another attention. */
    public ComputeSettings with(FlashAttention other) {
        return new ComputeSettings(cacheTypes, weights, new Numerics(other, numerics.exactRows()));
    }

    /** The same with other demands on the numbers of a token. */
    public ComputeSettings with(BatchInvariance other) {
        return new ComputeSettings(
                cacheTypes, weights, new Numerics(numerics.flashAttention(), other));
    }

    /** How a shard with caches of some size is loaded. */
    public ShardOptions shardOptions(CacheSizes sizes) {
        return ShardOptions.of(cacheTypes, sizes).withWeights(weights).withNumerics(numerics);
    }
}
