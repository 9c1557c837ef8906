package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.LoraAdapter;

import java.util.ArrayList;
import java.util.List;

/**
 * Loads and frees the matrices of a shard's adapters, each adapter apart from the others and from
 * the weights of the model. For one thread at a time.
 */
final class ShardAdapters {
    private final ModelRange part;
    private final ShardDevices devices;
    private final WeightLayout layout;
    private final ShardWeights weights;

    /** Numbers of the adapters whose matrices this shard uses. */
    private final List<Integer> used = new ArrayList<>();

    ShardAdapters(
            ModelRange part, ShardDevices devices, WeightLayout layout, ShardWeights weights) {
        this.part = part;
        this.devices = devices;
        this.layout = layout;
        this.weights = weights;
    }

    /**
     * Loads the adapters of the model; frees all of them if one fails.
     *
     * @throws VarveException as {@link #attach}
     */
    void attachAll() {
        try {
            AdaptedModel.numbered(part.model()).forEach(this::attach);
        } catch (RuntimeException | Error e) {
            detachAll();
            throw e;
        }
    }

    /**
     * Loads the matrices of an adapter for the layers of the shard.
     *
     * @throws VarveException of kind UNSUPPORTED_MODEL or CORRUPT_FILE if it does not fit the
     *     model, INVALID_REQUEST if the shard streams experts, OUT_OF_MEMORY if it does not fit the
     *     devices, UNAVAILABLE as {@link AttachedMatrices#attach}
     */
    void attach(int number, LoraAdapter adapter) {
        AdaptedModel.requireFits(part.file(), part.model(), adapter);
        requireLoadedExperts(adapter);
        TensorSelection matrices =
                AdaptedModel.matrices(part.model(), part.range(), number, adapter);
        weights.attach(number, adapter.file(), () -> load(adapter, matrices));
        used.add(number);
    }

    private ShardWeights load(LoraAdapter adapter, TensorSelection matrices) {
        for (ComputeDevice device : devices.all()) {
            requireMemory(device, adapter, matrices);
        }
        return ShardWeights.load(matrices, devices, layout, LoadProgressListener.silent());
    }

    /** Frees the matrices of an adapter, if this shard uses them. */
    void detach(int number) {
        if (used.remove(Integer.valueOf(number))) {
            weights.detach(number);
        }
    }

    /** Frees the matrices of all adapters. */
    void detachAll() {
        List.copyOf(used).forEach(this::detach);
    }

    private void requireLoadedExperts(LoraAdapter adapter) {
        if (weights.experts().isPresent()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    adapter.file().path().getFileName()
                            + ": an adapter is not supported for a model whose experts are"
                            + " streamed; use other "
                            + Setting.WEIGHTS);
        }
    }

    private void requireMemory(
            ComputeDevice device, LoraAdapter adapter, TensorSelection matrices) {
        long bytes =
                matrices.entries().stream()
                        .filter(entry -> devices.of(entry.tensor().name()) == device)
                        .mapToLong(entry -> entry.tensor().bytes())
                        .sum();
        long free = device.info().memoryFreeBytes();
        if (bytes > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    adapter.file().path().getFileName()
                            + ": its matrices for layers "
                            + part.range()
                            + " need "
                            + bytes
                            + " bytes on "
                            + device.info().name()
                            + ", found "
                            + free
                            + " free bytes");
        }
    }
}
