package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.WeightLayout;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Weights that shards of one range on one device have in common. Nobody writes to weights, so one
 * copy is enough for shards that have caches of their own. Owns none: they are freed with the last
 * shard that has them. Thread-safe.
 */
public final class WeightCache {
    private final Map<Key, ShardWeights> loaded = new HashMap<>();

    /** What weights are the same: those of one file for one range, on one device in one way. */
    record Key(Path file, LayerRange range, ComputeDevice device, WeightLayout layout) {}

    /** Nothing is there. */
    public WeightCache() {}

    /** The weights that are there, or loads them. Who takes them closes them. */
    synchronized ShardWeights take(Key key, Supplier<ShardWeights> load) {
        ShardWeights known = loaded.get(key);
        if (known != null && known.share()) {
            return known;
        }
        ShardWeights fresh = load.get();
        loaded.put(key, fresh);
        return fresh;
    }
}
