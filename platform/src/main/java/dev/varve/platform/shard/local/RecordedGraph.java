package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.Boundary;
import dev.varve.platform.shard.ExactRows;
import dev.varve.platform.shard.Feature;
import dev.varve.platform.shard.HostBoundary;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A graph with its memory plan, ready to be computed as often as batches of its {@link GraphKey}
 * come.
 */
final class RecordedGraph implements AutoCloseable {
    /** Tensors per layer beside those per part; the largest family needs well under half of it. */
    private static final int TENSORS_PER_LAYER = 192;

    /** Tensors per layer for each slice, and for each part into which products are cut. */
    private static final int TENSORS_PER_LAYER_AND_PART = 48;

    /** Rows that share an operator where rows are kept apart. */
    private static final int ROWS_PER_PART = 4;

    private static final int TENSORS_PER_GRAPH = 64;

    private final GraphKey key;
    private final GgmlContext context;
    private final Graph graph;
    private final GraphInputs inputs;
    private final Optional<Tensor> logits;
    private final Optional<Tensor> boundary;
    private final Map<Integer, Tensor> features;

    RecordedGraph(
            GraphKey key,
            LayerSplitAdapter model,
            LayerRange range,
            ShardState state,
            ComputeDevice device,
            GraphAllocator allocator) {
        this.key = key;
        int parts = parts(key, state);
        int tensors =
                TENSORS_PER_GRAPH
                        + 2 * parts
                        + range.size() * (TENSORS_PER_LAYER + TENSORS_PER_LAYER_AND_PART * parts);
        context = GgmlContext.open(tensors, tensors);
        try {
            graph = context.newGraph(tensors);
            inputs =
                    new GraphInputs(
                            context,
                            key,
                            model.boundaryLength(range.begin()),
                            model.shape().window().orElse(1));
            GraphRecorder recorder =
                    new GraphRecorder(key, range, model.shape(), context, graph, inputs, state);
            model.build(recorder, range);
            logits = recorder.recordedLogits();
            boundary = recorder.recordedBoundary();
            features = recorder.recordedFeatures();
            requireSupported(device);
            // The allocator compares counts only, so a graph of another topology needs a plan of
            // its own.
            allocator.reserve(graph);
            allocator.allocate(graph);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /** Parts of a batch that have operators of their own, counted from above. */
    private static int parts(GraphKey key, ShardState state) {
        int slices = key.parts().size();
        int runs = ColumnRun.ofTokens(key).size();
        int rows =
                key.parts().stream()
                        .filter(GraphKey.Part::rows)
                        .mapToInt(GraphKey.Part::tokens)
                        .sum();
        int apart =
                state.exactRows() != ExactRows.ON
                        ? 0
                        : state.flashAttention() ? rows / ROWS_PER_PART : rows;
        return slices + (runs > 1 ? runs : 0) + apart;
    }

    /**
     * A device that meets an operator that it does not run answers with an abort or with garbage.
     * The processor runs all that families record.
     */
    private void requireSupported(ComputeDevice device) {
        if (device.ggmlDevice().kind() == GgmlDevice.Kind.CPU) {
            return;
        }
        graph.firstUnsupported(device.ggmlDevice())
                .ifPresent(
                        operator -> {
                            throw new VarveException(
                                    VarveException.Kind.UNAVAILABLE,
                                    device.info().name() + " does not run " + operator);
                        });
    }

    GraphKey key() {
        return key;
    }

    void writeBoundary(Boundary activation) {
        inputs.writeBoundary(activation);
    }

    /** Computes; the activation, if the graph needs one, was written before. */
    void compute(PlacedBatch placed, ComputeDevice device) {
        inputs.fill(placed);
        device.compute(graph, placed.batch().phase());
    }

    /**
     * Logits of all wanted tokens, {@code F32 [vocabularySize, outputs]}, in the order of the
     * slices.
     */
    Optional<Tensor> logits() {
        return logits;
    }

    /**
     * The activation that leaves the range.
     *
     * @param ring where the next shard takes it from; empty: this process's memory
     */
    Optional<Boundary> readBoundary(Optional<BoundaryRing> ring) {
        return boundary.map(
                tensor ->
                        ring.isPresent() && ring.get().takes(key.tokens())
                                ? ring.get().put(tensor)
                                : new HostBoundary(valuesOf(tensor), key.tokens()));
    }

    List<Feature> readFeatures() {
        if (features.isEmpty()) {
            return List.of();
        }
        List<Feature> read = new ArrayList<>(features.size());
        features.forEach(
                (layer, tensor) -> read.add(new Feature(layer, valuesOf(tensor), key.tokens())));
        return read;
    }

    private static float[] valuesOf(Tensor tensor) {
        float[] values = new float[Math.toIntExact(tensor.elements())];
        tensor.read(values, 0, values.length, 0);
        return values;
    }

    @Override
    public void close() {
        context.close();
    }
}
