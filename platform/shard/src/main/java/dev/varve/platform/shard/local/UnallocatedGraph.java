package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.BatchInvariance;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Recording of a family for batches of one {@link GraphKey}: operators without memory for their
 * results.
 *
 * @param logits {@code F32 [vocabularySize, outputs]}, if the range ends the model and outputs are
 *     requested
 * @param maxima the best token of each row of logits, if the logits are in device memory
 * @param top the best tokens of each row of logits, if requested and in device memory
 * @param boundary the activation that leaves the range
 * @param features captured activations by layer
 * @param queries of full attention by layer and chunk, {@code F32 [keyLength, heads, tokens]} of
 *     its last tokens, if pages may be scored
 * @param blocks place at which the graph stops for the selection of keys
 * @param segments operators that other devices compute
 * @param experts places at which the graph stops, so that the host reads experts
 */
record UnallocatedGraph(
        GgmlContext context,
        Graph graph,
        GraphInputs inputs,
        Optional<Tensor> logits,
        Optional<DeviceArgmax> maxima,
        Optional<DeviceTopTokens> top,
        Optional<Tensor> boundary,
        Map<Integer, Tensor> features,
        Map<Integer, List<Tensor>> queries,
        Optional<SparseGraphBreak> blocks,
        DeviceSegments segments,
        List<ExpertBreak> experts)
        implements AutoCloseable {
    /**
     * Tensors per layer in addition to those per part; the largest family needs well below half of
     * it.
     */
    private static final int TENSORS_PER_LAYER = 192;

    /** Tensors per layer for each chunk, and for each part into which products are divided. */
    private static final int TENSORS_PER_LAYER_AND_PART = 48;

    private static final int TENSORS_PER_GRAPH = 96;

    /** Tensors of an adapter's term, for each part into which products are divided. */
    private static final int TENSORS_PER_TERM = 16;

    /**
     * Calls the family to record the graph.
     *
     * @throws GraphBuildException if it breaks a rule or throws
     * @throws VarveException of kind UNAVAILABLE if the device does not support all of it
     */
    static UnallocatedGraph of(
            GraphKey key,
            LayerSplitAdapter model,
            LayerRange range,
            ShardGraphContext graphContext,
            ComputeDevice device) {
        int parts = parts(key, graphContext);
        int tensors =
                TENSORS_PER_GRAPH
                        + 2 * parts
                        + range.size() * (TENSORS_PER_LAYER + TENSORS_PER_LAYER_AND_PART * parts)
                        + graphContext.weights().tensorsOfTiles(key.tokens())
                        + graphContext.lora().count() * TENSORS_PER_TERM * (1 + parts)
                        + graphContext.scoringCapture().map(ScoringCapture::moreTensors).orElse(0);
        GgmlContext context = GgmlContext.open(tensors, tensors);
        try {
            GraphBuilder recorder =
                    new GraphBuilder(
                            key, model, range, context, context.newGraph(tensors), graphContext);
            UnallocatedGraph recording = recorder.record();
            try {
                recording.requireSupported(device);
                return recording.withMaxima(device, key.top());
            } catch (RuntimeException | Error e) {
                recording.segments.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /** Upper bound for the number of parts of a batch that have operators of their own. */
    private static int parts(GraphKey key, ShardGraphContext graphContext) {
        int chunks = key.parts().size();
        if (!graphContext.caches().rollbackBuffer().ownLayers().isEmpty()) {
            // States of families are advanced token by token over draft tokens.
            chunks +=
                    key.parts().stream()
                            .filter(part -> part.states().isDrafted())
                            .mapToInt(GraphKey.ChunkShape::tokens)
                            .sum();
        }
        int runs = ColumnRun.ofTokens(key).size();
        int rows =
                key.parts().stream()
                        .filter(GraphKey.ChunkShape::rows)
                        .mapToInt(GraphKey.ChunkShape::tokens)
                        .sum();
        int apart =
                graphContext.arithmetic().exactRows() == BatchInvariance.ON
                                && !graphContext.arithmetic().flashAttention()
                        ? rows
                        : 0;
        int products =
                graphContext.arithmetic().exactRows() == BatchInvariance.OFF
                        ? 0
                        : graphContext.weights().mostProductsOf(rows);
        return chunks + (runs > 1 ? runs : 0) + Math.max(apart, products);
    }

    /**
     * Checks the operators: a device that gets an unsupported one aborts or returns garbage. The
     * CPU supports all operators that families record.
     */
    private void requireSupported(ComputeDevice device) {
        requireSupported(graph, device);
        segments.graphs().forEach((other, there) -> requireSupported(there.graph(), other));
    }

    private static void requireSupported(Graph graph, ComputeDevice device) {
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

    /** Host memory needs no copy, so the host finds the best tokens there. */
    private UnallocatedGraph withMaxima(ComputeDevice device, boolean wantsTop) {
        if (logits.isEmpty() || device.bufferType().isHost()) {
            return this;
        }
        return new UnallocatedGraph(
                context,
                graph,
                inputs,
                logits,
                DeviceArgmax.record(context.ops(), graph, logits.get(), device.ggmlDevice()),
                wantsTop
                        ? DeviceTopTokens.record(
                                context.ops(), graph, logits.get(), device.ggmlDevice())
                        : Optional.empty(),
                boundary,
                features,
                queries,
                blocks,
                segments,
                experts);
    }

    @Override
    public void close() {
        segments.close();
        context.close();
    }
}
