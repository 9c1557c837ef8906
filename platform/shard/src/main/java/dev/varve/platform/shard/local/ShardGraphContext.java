package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.lora.LoraTerms;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Weights, caches and settings that the graphs of a shard use.
 *
 * @param layers the layers whose rows the attention layers read
 * @param rotation of quantised rows
 * @param pageKeys present if batches may request page scores
 * @param scoringCapture tensors for scoring a text, if this context belongs to a text scorer
 * @param lora terms of adapters
 */
record ShardGraphContext(
        ShardWeights weights,
        ShardCaches caches,
        SharedKvLayers layers,
        HadamardRotation rotation,
        OperatorOptions arithmetic,
        Optional<PageKeys> pageKeys,
        Optional<ScoringCapture> scoringCapture,
        LoraTerms lora)
        implements AutoCloseable {

    /** Returns the context for operators that another device computes. */
    ShardGraphContext on(ComputeDevice other) {
        OperatorOptions options =
                new OperatorOptions(
                        arithmetic.flashAttention(),
                        arithmetic.exactRows(),
                        other.bufferType().isHost(),
                        arithmetic.recurrent());
        return new ShardGraphContext(
                weights, caches, layers, rotation, options, pageKeys, scoringCapture, lora);
    }

    /** Returns the context for other adapters, whose matrices are among the weights. */
    ShardGraphContext with(LoraTerms other) {
        return new ShardGraphContext(
                weights, caches, layers, rotation, arithmetic, pageKeys, scoringCapture, other);
    }

    /** How recurrent layers process trees of tokens. */
    TreeEncoding.TreeMode trees() {
        return TreeEncoding.TreeMode.of(
                caches.stateRows().layers().values().stream()
                        .map(RecurrentStateTensors.Layer::state)
                        .toList(),
                arithmetic.recurrent().deltaRule());
    }

    /** Allocates the caches for loaded weights; frees everything if the memory is too small. */
    static ShardGraphContext open(
            ShardWeights weights,
            LayerSplitAdapter model,
            LayerRange range,
            ShardOptions options,
            ComputeDevice device,
            boolean flashAttention) {
        ModelShape shape = model.shape();
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        opened.push(weights);
        try {
            CacheTypes types = options.cacheTypes();
            KvPool pool =
                    new KvPool(
                            shape,
                            range,
                            LayerState.FullAttention.class,
                            types,
                            options.capacities().slots(),
                            device.bufferType());
            opened.push(pool);
            KvPool regions =
                    new KvPool(
                            shape,
                            range,
                            LayerState.SlidingAttention.class,
                            types,
                            Math.multiplyExact(
                                    options.capacities().regionSlots(),
                                    options.capacities().stateRows() - 1),
                            device.bufferType());
            opened.push(regions);
            RecurrentStateTensors rows =
                    new RecurrentStateTensors(
                            shape, range, options.capacities().stateRows(), device.bufferType());
            opened.push(rows);
            StateRollbackBuffer rollbackBuffer =
                    new StateRollbackBuffer(
                            shape,
                            range,
                            options.capacities().rollbackBuffers(),
                            device.bufferType());
            opened.push(rollbackBuffer);
            WindowSlotMap windows =
                    new WindowSlotMap(
                            regions,
                            // Without its own sliding layers, a shard gets no windows to import.
                            regions.layers().isEmpty() ? OptionalInt.empty() : shape.window(),
                            options.capacities().regionSlots(),
                            options.capacities().stateRows(),
                            // On a processor a new graph costs little, but each slot that is read
                            // costs
                            // time.
                            device.bufferType().isHost()
                                    ? WindowSlotMap.ReadStart.OLDEST_VISIBLE
                                    : WindowSlotMap.ReadStart.SAME_WITHIN_BLOCK);
            SharedKvLayers layers = new SharedKvLayers(shape, range);
            HostPages pages = new HostPages(pool);
            return new ShardGraphContext(
                    weights,
                    new ShardCaches(pool, regions, windows, rows, rollbackBuffer, pages),
                    layers,
                    HadamardRotation.of(shape, range, types, device.bufferType()),
                    new OperatorOptions(
                            flashAttention,
                            options.numerics().exactRows(),
                            device.bufferType().isHost(),
                            device.recurrentOperators()),
                    options.scoresPages()
                            ? Optional.of(new PageKeys(pool, pages, layers))
                            : Optional.empty(),
                    Optional.empty(),
                    LoraTerms.of(model));
        } catch (RuntimeException | Error e) {
            while (!opened.isEmpty()) {
                closeAfter(opened.pop(), e);
            }
            throw e;
        }
    }

    static void closeAfter(AutoCloseable resource, Throwable failure) {
        try {
            resource.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void close() {
        rotation.close();
        caches.close();
        weights.close();
    }
}
