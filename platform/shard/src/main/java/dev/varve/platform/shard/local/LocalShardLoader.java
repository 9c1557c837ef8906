package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.lora.AdaptedModel;

/**
 * Loads a shard: checks what is cheap to check, loads or shares the weights, loads the adapters,
 * and allocates the caches. Frees everything if one of these fails.
 */
final class LocalShardLoader {
    private final ModelRange part;
    private final ShardDevices devices;
    private final ShardOptions options;

    LocalShardLoader(ModelRange part, ShardDevices devices, ShardOptions options) {
        this.part = part;
        this.devices = devices;
        this.options = options;
    }

    /**
     * Loads the shard.
     *
     * @param shelf cache of weights that shards may share
     * @throws VarveException as {@link LocalShard#load}
     */
    LocalShard load(LoadProgressListener progress, WeightCache shelf) {
        LayerSplitAdapter model = part.model();
        boolean flash =
                new CacheTypeCheck(model.shape(), part.range(), devices.own())
                        .require(
                                part.file().path(),
                                options.cacheTypes(),
                                options.numerics().flashAttention());
        GraphDryRun.requireLayers(model, options.captures());
        devices.requireExperts(model.tensors(part.range()));
        requireMemory();
        ShardWeights weights = weights(progress, shelf);
        ShardAdapters adapters = adapters(weights);
        try {
            ShardGraphContext context = open(weights, flash);
            return new LocalShard(part, devices, options, adapters, context);
        } catch (RuntimeException | Error e) {
            adapters.detachAll();
            throw e;
        }
    }

    /**
     * Caches are cleared, so the system would take their memory from other processes rather than
     * fail; and their sizes may come from another process.
     */
    private void requireMemory() {
        LayerRange range = part.range();
        ComputeDevice device = devices.own();
        long free = device.info().memoryFreeBytes();
        long bytes =
                CacheUnitBytes.cacheBytes(
                        part.model().shape(), range, options.cacheTypes(), options.capacities());
        if (bytes > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    device.info().name()
                            + ": caches of "
                            + bytes
                            + " bytes for "
                            + options.capacities().slots()
                            + " tokens in layers "
                            + range
                            + " exceed the "
                            + free
                            + " bytes that are free");
        }
    }

    /** Returns the weights of the model without adapters. */
    private ShardWeights weights(LoadProgressListener progress, WeightCache shelf) {
        LayerSplitAdapter model = part.model();
        LayerRange range = part.range();
        return shelf.acquire(
                WeightCache.Key.of(part, devices, options.weights()),
                () ->
                        ShardWeights.load(
                                AdaptedModel.base(model).tensors(range),
                                devices,
                                options.weights(),
                                ExpertCacheShare.of(model, range, options.expertCacheBytes()),
                                shelf.useFolder(),
                                progress));
    }

    /** Loads the adapters of the model; closes the weights if that fails. */
    private ShardAdapters adapters(ShardWeights weights) {
        ShardAdapters adapters = new ShardAdapters(part, devices, options.weights(), weights);
        try {
            adapters.attachAll();
            return adapters;
        } catch (RuntimeException | Error e) {
            weights.close();
            throw e;
        }
    }

    /** Allocates the caches and records the first graphs; closes the weights if that fails. */
    private ShardGraphContext open(ShardWeights weights, boolean flash) {
        ComputeDevice device = devices.own();
        ShardGraphContext context =
                ShardGraphContext.open(weights, part.model(), part.range(), options, device, flash);
        try {
            GraphDryRun.require(part.model(), part.range(), context, device, options.captures());
            return context;
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }
}
