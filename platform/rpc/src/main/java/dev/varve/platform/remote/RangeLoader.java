package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.local.LocalShard;

/** Creates the shard for a load request. */
@FunctionalInterface
interface RangeLoader {
    /**
     * A model of this process and a device for it.
     *
     * @param device owned by the caller
     */
    record Place(GgufFile file, LayerSplitAdapter adapter, ComputeDevice device) {}

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
                        place.device(),
                        request.shard(),
                        progress);
    }
}
