package dev.varve.platform.runtime;

import dev.varve.platform.shard.CacheSizes;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ExactRows;
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
public record Computation(CacheTypes cacheTypes, WeightLayout weights, Numerics numerics) {
    /** Checks that nothing is missing. */
    public Computation {
        Objects.requireNonNull(cacheTypes);
        Objects.requireNonNull(weights);
        Objects.requireNonNull(numerics);
    }

    /** A cache of F16, repacked weights, numerics as the device likes them. */
    public static Computation defaults() {
        return new Computation(CacheTypes.f16(), WeightLayout.REPACKED, Numerics.AUTO);
    }

    /** The same with a cache of other types. */
    public Computation with(CacheTypes other) {
        return new Computation(other, weights, numerics);
    }

    /** The same with weights that lie otherwise. */
    public Computation with(WeightLayout other) {
        return new Computation(cacheTypes, other, numerics);
    }

    /** The same with another attention. */
    public Computation with(FlashAttention other) {
        return new Computation(cacheTypes, weights, new Numerics(other, numerics.exactRows()));
    }

    /** The same with other demands on the numbers of a token. */
    public Computation with(ExactRows other) {
        return new Computation(cacheTypes, weights, new Numerics(numerics.flashAttention(), other));
    }

    /** How a shard with caches of some size is loaded. */
    public ShardOptions shardOptions(CacheSizes sizes) {
        return ShardOptions.of(cacheTypes, sizes).withWeights(weights).withNumerics(numerics);
    }
}
