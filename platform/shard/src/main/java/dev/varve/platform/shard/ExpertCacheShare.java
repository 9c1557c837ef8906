package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

/** Divides the cache of experts of a model among its shards, by the bytes of their experts. */
public final class ExpertCacheShare {
    private ExpertCacheShare() {}

    /** Returns the bytes of the matrices of experts in a selection. */
    public static long expertBytes(TensorSelection selection) {
        return selection.entries().stream()
                .filter(entry -> entry.use() == TensorUse.EXPERT_MATMUL)
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }

    /** Returns the bytes of all weights in a selection except the matrices of experts. */
    public static long denseBytes(TensorSelection selection) {
        return selection.entries().stream()
                .filter(entry -> entry.use() != TensorUse.EXPERT_MATMUL)
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }

    /**
     * Returns the part of a range.
     *
     * @param cacheBytes of all ranges together
     */
    public static long of(LayerSplitAdapter model, LayerRange range, long cacheBytes) {
        if (cacheBytes == 0) {
            // Nothing is streamed; a model may have other ranges than all of its layers.
            return 0;
        }
        long all = expertBytes(model.tensors(new LayerRange(0, model.shape().layerCount())));
        long own = expertBytes(model.tensors(range));
        return own == all ? cacheBytes : (long) ((double) cacheBytes / all * own);
    }
}
