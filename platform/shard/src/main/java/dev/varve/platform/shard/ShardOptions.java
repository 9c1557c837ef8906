package dev.varve.platform.shard;

import java.util.List;
import java.util.Objects;

/**
 * Options for loading a shard.
 *
 * @param cacheTypes element types of the KV cache
 * @param capacities capacities of the caches
 * @param weights layout of the weights in memory
 * @param numerics settings that decide the last bits of its numbers
 * @param captures layers whose input batches may capture, ascending; the layer count means the last
 *     layer's output
 * @param scoresPages whether batches may request page scores, see {@link PageQuery}
 * @param expertCacheBytes memory for experts of all shards of the model together, if the weights
 *     are {@linkplain WeightLayout#STREAMED streamed}; otherwise not used
 */
public record ShardOptions(
        CacheTypes cacheTypes,
        CacheCapacities capacities,
        WeightLayout weights,
        Numerics numerics,
        List<Integer> captures,
        boolean scoresPages,
        long expertCacheBytes) {
    /** Checks that captures ascend and nothing is missing. */
    public ShardOptions {
        captures = List.copyOf(captures);
        for (int i = 0; i < captures.size(); i++) {
            if (captures.get(i) < (i == 0 ? 0 : captures.get(i - 1) + 1)) {
                throw new IllegalArgumentException(
                        "captured layers must ascend from 0 on, got " + captures);
            }
        }
        Objects.requireNonNull(cacheTypes);
        Objects.requireNonNull(capacities);
        Objects.requireNonNull(weights);
        Objects.requireNonNull(numerics);
    }

    /** Creates options without page scoring. */
    public ShardOptions(
            CacheTypes cacheTypes,
            CacheCapacities capacities,
            WeightLayout weights,
            Numerics numerics,
            List<Integer> captures) {
        this(cacheTypes, capacities, weights, numerics, captures, false, 0);
    }

    /** Returns these options with page scoring. */
    public ShardOptions scoringPages() {
        return new ShardOptions(
                cacheTypes, capacities, weights, numerics, captures, true, expertCacheBytes);
    }

    /** Creates options with repacked weights, automatic numerics and no captures. */
    public static ShardOptions of(CacheTypes cacheTypes, CacheCapacities capacities) {
        return new ShardOptions(
                cacheTypes, capacities, WeightLayout.REPACKED, Numerics.AUTO, List.of());
    }

    /** Returns these options with another weight layout. */
    public ShardOptions withWeights(WeightLayout other) {
        return new ShardOptions(
                cacheTypes, capacities, other, numerics, captures, scoresPages, expertCacheBytes);
    }

    /** Returns these options with other numerics. */
    public ShardOptions withNumerics(Numerics other) {
        return new ShardOptions(
                cacheTypes, capacities, weights, other, captures, scoresPages, expertCacheBytes);
    }

    /** Returns these options with another flash attention setting. */
    public ShardOptions withFlashAttention(FlashAttention other) {
        return withNumerics(new Numerics(other, numerics.exactRows()));
    }

    /** Returns these options with another batch invariance. */
    public ShardOptions withExactRows(BatchInvariance other) {
        return withNumerics(new Numerics(numerics.flashAttention(), other));
    }

    /** Returns these options with another size of the cache of experts. */
    public ShardOptions withExpertCache(long bytes) {
        return new ShardOptions(
                cacheTypes, capacities, weights, numerics, captures, scoresPages, bytes);
    }

    /** Returns these options with other captures. */
    public ShardOptions withCaptures(List<Integer> layers) {
        return new ShardOptions(
                cacheTypes, capacities, weights, numerics, layers, scoresPages, expertCacheBytes);
    }
}
