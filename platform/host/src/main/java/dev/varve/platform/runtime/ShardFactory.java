package dev.varve.platform.runtime;

import dev.varve.platform.placement.Placement;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;

/** Loads the ranges of a model, each on its device. */
public interface ShardFactory {
    /**
     * Loads one range; the caller closes the shard.
     *
     * @throws dev.varve.api.VarveException if it does not fit or the device cannot be used
     */
    Shard open(Placement.Part part, ShardOptions options, LoadProgressListener progress);
}
