package dev.varve.platform.remote;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.local.WeightCache;

/** Creates the shard for a load request. */
@FunctionalInterface
interface RangeLoader {
    /**
     * A model of this process and devices for it.
     *
     * @param devices owned by the caller
     */
    record Place(GgufFile file, LayerSplitAdapter adapter, ShardDevices devices) {}

    /**
     * Loads a range.
     *
     * @throws dev.varve.api.VarveException as {@link LocalShard#load}
     */
    Shard load(Place place, ShardLoadRequest request, LoadProgressListener progress);

    /** Returns the loader for shards that ggml computes. */
    static RangeLoader local() {
        return (place, request, progress) ->
                LocalShard.load(
                        new ModelRange(place.file(), place.adapter(), request.range()),
                        place.devices(),
                        request.shard(),
                        progress,
                        new WeightCache());
    }
}
