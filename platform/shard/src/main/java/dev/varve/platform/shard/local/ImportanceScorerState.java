package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.lora.LoraTerms;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Memory for reading a text layer by layer: K and V rows that all layers share in turn, a copy of
 * their keys for the comparison, and one state of each recurrent layer.
 *
 * @param graphContext the same in the form that graphs use; it does not own its weights
 * @param keyRows memory of the compared keys
 * @param hidden activations of the chunks between two layers, on the device: each layer puts in as
 *     many as the one before, so that each chunk keeps its place
 */
record ImportanceScorerState(
        ShardGraphContext graphContext,
        KvSlotSpan span,
        GgmlContext context,
        DeviceBuffer keyRows,
        ActivationRing hidden)
        implements AutoCloseable {
    /** The row of recurrent states. */
    static final int ROW = 1;

    /**
     * @param types of the rows
     * @param tokens of the text
     * @param chunk tokens that a layer processes at once
     * @param sparse whether attention is block-sparse
     */
    record ScoringParameters(CacheTypes types, int tokens, int chunk, boolean sparse) {}

    static ImportanceScorerState open(
            ShardWeights weights,
            ModelRange model,
            ScoringParameters sizes,
            LayerMajorImportanceScorer.ScoringOptions options,
            ComputeDevice device,
            boolean flash) {
        ModelShape shape = model.model().shape();
        LayerRange all = shape.allLayers();
        CacheTypes types = sizes.types();
        int slots = KvSlotSpan.roundUp(sizes.tokens());
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        try {
            KvPool pool = KvPool.inTurns(shape, types, slots, device.bufferType());
            opened.push(pool);
            KvPool none =
                    new KvPool(
                            shape,
                            all,
                            LayerState.SlidingAttention.class,
                            types,
                            KvSlotSpan.BLOCK,
                            device.bufferType());
            opened.push(none);
            RecurrentStateTensors rows =
                    new RecurrentStateTensors(shape, all, ROW + 1, device.bufferType());
            opened.push(rows);
            StateRollbackBuffer rollbackBuffer =
                    new StateRollbackBuffer(
                            shape, all, RollbackBufferSizes.NONE, device.bufferType());
            opened.push(rollbackBuffer);
            GgmlContext context = GgmlContext.open(2, 0);
            opened.push(context);
            Tensor cache = pool.layers().values().iterator().next().keys();
            Tensor keys = context.newTensor(types.key(), cache.ne(0), slots).named("looked");
            DeviceBuffer buffer = context.allocate(device.bufferType()).orElseThrow();
            opened.push(buffer);
            buffer.clear();
            ActivationRing hidden =
                    new ActivationRing(
                            device.bufferType(),
                            ImportanceScorerMemory.activationLength(model),
                            sizes.chunk(),
                            Math.ceilDiv(sizes.tokens(), sizes.chunk()));
            opened.push(hidden);
            HadamardRotation rotation = HadamardRotation.of(shape, all, types, device.bufferType());
            return new ImportanceScorerState(
                    new ShardGraphContext(
                            weights,
                            new ShardCaches(
                                    pool,
                                    none,
                                    new WindowSlotMap(none, OptionalInt.empty(), 0, ROW + 1),
                                    rows,
                                    rollbackBuffer,
                                    new HostPages(pool)),
                            new SharedKvLayers(shape, all),
                            rotation,
                            new OperatorOptions(
                                    flash,
                                    BatchInvariance.AUTO,
                                    device.bufferType().isHost(),
                                    device.recurrentOperators()),
                            Optional.empty(),
                            Optional.of(new ScoringCapture(keys, options, sizes.sparse())),
                            LoraTerms.of(model.model())),
                    new KvSlotSpan(0, slots),
                    context,
                    buffer,
                    hidden);
        } catch (RuntimeException | Error e) {
            while (!opened.isEmpty()) {
                ShardGraphContext.closeAfter(opened.pop(), e);
            }
            throw e;
        }
    }

    /** Returns the same caches for layers with dense attention. */
    ShardGraphContext dense() {
        return new ShardGraphContext(
                graphContext.weights(),
                graphContext.caches(),
                graphContext.layers(),
                graphContext.rotation(),
                graphContext.arithmetic(),
                graphContext.pageKeys(),
                graphContext
                        .scoringCapture()
                        .map(looked -> new ScoringCapture(looked.keys(), looked.options(), false)),
                graphContext.lora());
    }

    /** The compared keys of the layer that was read last. */
    Tensor keys() {
        return graphContext.scoringCapture().orElseThrow().keys();
    }

    /** Bytes of everything that it holds except the rotations. */
    long bytes() {
        return graphContext.caches().bytes() + keyRows.size() + hidden.bytes();
    }

    @Override
    public void close() {
        hidden.close();
        keyRows.close();
        context.close();
        graphContext.rotation().close();
        graphContext.caches().close();
    }
}
