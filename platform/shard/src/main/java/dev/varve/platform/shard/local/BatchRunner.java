package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.GraphCounts;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.TopTokens;
import dev.varve.platform.shard.lora.LoraScales;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs the batches of a shard: finds or records the graph of each, moves activations into and out
 * of it, computes it and reads the results. Runs per token. For the thread that holds the device,
 * except that any thread may read counts and times.
 */
final class BatchRunner implements AutoCloseable {
    /** How a batch is run. */
    enum RunPurpose {
        /** Computed, with its results. */
        COMPUTED,
        /** Recorded and allocated only, so that a later batch need not wait for that. */
        WARM_UP
    }

    private final LayerSplitAdapter model;
    private final LayerRange range;
    private final ComputeDevice device;
    private final TreeEncoding.TreeMode trees;
    private final GraphCache graphs;
    private final LogitsReader logits;
    private final ActivationTransferTimer boundaries;

    /** Written by the thread that holds the device. */
    private volatile long computeNanos;

    BatchRunner(
            LayerSplitAdapter model,
            LayerRange range,
            ComputeDevice device,
            TreeEncoding.TreeMode trees) {
        this.model = model;
        this.range = range;
        this.device = device;
        this.trees = trees;
        graphs = new GraphCache(device);
        logits = new LogitsReader(device.bufferType(), model.shape().vocabularySize());
        boundaries = new ActivationTransferTimer(device.info().name(), range);
    }

    /**
     * Runs a batch, which is checked already.
     *
     * @param context weights, caches and adapters
     * @param boundary activations of the previous shard; empty for the first one
     * @param outbound ring for activations to the next shard, if both are connected
     */
    ShardResult run(
            ShardGraphContext context,
            Batch batch,
            Optional<LayerActivations> boundary,
            RunPurpose purpose,
            Optional<ActivationRing> outbound) {
        TemporaryPositionOrder order = TemporaryPositionOrder.of(batch);
        PlacedBatch placed = PlacedBatch.place(order.batch(), context.caches().windows());
        AllocatedGraph graph = graph(context, placed, batch.phase(), purpose);
        boundaries.moveIn(boundary, graph::writeBoundary);
        graph.fill(placed);
        if (purpose == RunPurpose.COMPUTED) {
            compute(graph, placed, order, context.caches().kvPool());
        }
        Optional<Tensor> rows = graph.logits();
        int[] best = new int[batch.outputs()];
        Map<Integer, TopTokens> top =
                rows.map(tensor -> logits.read(batch, tensor, graph, best)).orElse(Map.of());
        return new ShardResult(
                logits.logits(),
                best,
                rows.isPresent() ? best.length : 0,
                boundaries.moveOut(() -> graph.readBoundary(outbound)),
                graph.readFeatures(),
                top,
                purpose == RunPurpose.COMPUTED ? scores(context, batch, graph) : List.of());
    }

    private AllocatedGraph graph(
            ShardGraphContext context,
            PlacedBatch placed,
            ComputeDevice.Phase phase,
            RunPurpose purpose) {
        return graphs.find(
                key(context, placed, purpose),
                phase,
                (key, memory) ->
                        new AllocatedGraph(
                                key,
                                UnallocatedGraph.of(key, model, range, context, device),
                                memory,
                                context.weights().experts()));
    }

    /** Host memory needs no copy, so the host reads whole rows there. */
    private GraphKey key(ShardGraphContext context, PlacedBatch placed, RunPurpose purpose) {
        GraphKey key =
                GraphKey.of(placed, trees).adapting(activeAdapters(context, placed, purpose));
        if (device.bufferType().isHost()) {
            return key;
        }
        for (SequenceChunk chunk : placed.batch().chunks()) {
            if (chunk.outputs().isTop()) {
                return key.withTop();
            }
        }
        return key;
    }

    /** Warm-up allocates the memory for all adapters, which later requests may use. */
    private static List<Integer> activeAdapters(
            ShardGraphContext context, PlacedBatch placed, RunPurpose purpose) {
        if (context.lora().loaded().isEmpty()) {
            return List.of();
        }
        return purpose == RunPurpose.WARM_UP
                ? context.lora().adapters()
                : context.lora().active(scales(placed.batch()));
    }

    private static List<LoraScales> scales(Batch batch) {
        return batch.chunks().stream().map(SequenceChunk::lora).toList();
    }

    private void compute(
            AllocatedGraph graph, PlacedBatch placed, TemporaryPositionOrder order, KvPool pool) {
        order.arrange(pool);
        long begin = System.nanoTime();
        try {
            graph.compute(placed, device);
        } finally {
            computeNanos += System.nanoTime() - begin;
            order.restore(pool);
        }
    }

    /** Computes the page scores that a batch requests, after the batch is computed. */
    private static List<PageScores> scores(
            ShardGraphContext context, Batch batch, AllocatedGraph graph) {
        List<PageScores> scores = new ArrayList<>();
        for (int i = 0; i < batch.queries().size(); i++) {
            scores.addAll(
                    context.pageKeys()
                            .orElseThrow()
                            .score(i, batch.queries().get(i), graph.queries()));
        }
        return scores;
    }

    /** See {@link dev.varve.platform.shard.Shard#keepLogits}. */
    void keepLogits(int results) {
        logits.keep(results);
    }

    /** Frees the graphs that use an adapter. */
    void dropAdapter(int number) {
        graphs.dropAdapter(number);
    }

    /** Bytes of the graphs' memory. */
    long bytes() {
        return graphs.bytes();
    }

    GraphCounts counts() {
        return graphs.counts();
    }

    /** Time for moving activations in and out. */
    double boundaryMillis() {
        return boundaries.millis();
    }

    /** Time for computing graphs. */
    long computeNanos() {
        return computeNanos;
    }

    @Override
    public void close() {
        graphs.close();
    }
}
