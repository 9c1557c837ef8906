package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.WeightLayout;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Cache of the weights that shards of one range on one device share. Weights are read-only, so one
 * copy is enough for shards with their own caches. It owns none of them: the last shard that uses
 * weights frees them. Thread-safe.
 */
public final class WeightCache {
    private final Map<Key, ShardWeights> loaded = new HashMap<>();

    /**
     * Identifies equal weights: the file of the model, range, layout and devices. Shards that share
     * weights also share adapters, by their numbers.
     */
    record Key(Path file, LayerRange range, ShardDevices devices, WeightLayout layout) {
        static Key of(ModelRange part, ShardDevices devices, WeightLayout layout) {
            return new Key(part.file().path(), part.range(), devices, layout);
        }
    }

    private final Optional<Path> useFolder;

    /** Creates an empty cache. */
    public WeightCache() {
        this(Optional.empty());
    }

    /**
     * Creates an empty cache.
     *
     * @param useFolder folder in which the use of streamed experts is kept over restarts
     */
    public WeightCache(Optional<Path> useFolder) {
        this.useFolder = useFolder;
    }

    Optional<Path> useFolder() {
        return useFolder;
    }

    /** Returns cached weights; empty if no shard uses such weights. */
    synchronized Optional<ShardWeights> find(Key key) {
        return Optional.ofNullable(loaded.get(key));
    }

    /** Returns cached weights, or loads them. The caller must close them. */
    synchronized ShardWeights acquire(Key key, Supplier<ShardWeights> load) {
        ShardWeights known = loaded.get(key);
        if (known != null && known.share()) {
            return known;
        }
        ShardWeights fresh = load.get();
        loaded.put(key, fresh);
        return fresh;
    }
}
