package dev.varve.platform.shard;

import java.util.List;
import java.util.Objects;

/**
 * How a shard is loaded.
 *
 * @param cacheTypes element types of the KV cache
 * @param sizes how much state the caches hold
 * @param weights how the weights lie in memory
 * @param numerics what decides the last bits of its numbers
 * @param captures layers whose input batches may ask for, ascending; the layer count stands for the
 *     last layer's output
 * @param scoresPages whether batches may ask for pages, see {@link PageQuery}
 */
public record ShardOptions(
        CacheTypes cacheTypes,
        CacheSizes sizes,
        WeightLayout weights,
        Numerics numerics,
        List<Integer> captures,
        boolean scoresPages) {
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
        Objects.requireNonNull(sizes);
        Objects.requireNonNull(weights);
        Objects.requireNonNull(numerics);
    }

    /** A shard of which no batch asks for pages. */
    public ShardOptions(
            CacheTypes cacheTypes,
            CacheSizes sizes,
            WeightLayout weights,
            Numerics numerics,
            List<Integer> captures) {
        this(cacheTypes, sizes, weights, numerics, captures, false);
    }

    /** The same of which batches may ask for pages. */
    public ShardOptions scoringPages() {
        return new ShardOptions(cacheTypes, sizes, weights, numerics, captures, true);
    }

    /** Repacked weights, numerics as the device likes them, no captures. */
    public static ShardOptions of(CacheTypes cacheTypes, CacheSizes sizes) {
        return new ShardOptions(cacheTypes, sizes, WeightLayout.REPACKED, Numerics.AUTO, List.of());
    }

    /** The same with weights that lie otherwise. */
    public ShardOptions withWeights(WeightLayout other) {
        return new ShardOptions(cacheTypes, sizes, other, numerics, captures, scoresPages);
    }

    /** The same with other numerics. */
    public ShardOptions withNumerics(Numerics other) {
        return new ShardOptions(cacheTypes, sizes, weights, other, captures, scoresPages);
    }

    /** The same with another attention. */
    public ShardOptions withFlashAttention(FlashAttention other) {
        return withNumerics(new Numerics(other, numerics.exactRows()));
    }

    /** The same with other demands on the numbers of a token. */
    public ShardOptions withExactRows(BatchInvariance other) {
        return withNumerics(new Numerics(numerics.flashAttention(), other));
    }

    /** The same with other captures. */
    public ShardOptions withCaptures(List<Integer> layers) {
        return new ShardOptions(cacheTypes, sizes, weights, numerics, layers, scoresPages);
    }
}
