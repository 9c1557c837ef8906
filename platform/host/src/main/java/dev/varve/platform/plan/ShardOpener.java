package dev.varve.platform.plan;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Shard;

/** Loads a range of a model onto one device at any site; the caller closes the shard. */
@FunctionalInterface
public interface ShardOpener {
    /**
     * Loads a range.
     *
     * @throws dev.varve.api.VarveException if it does not fit or the device cannot be used
     */
    Shard open(LayerRange range);
}
