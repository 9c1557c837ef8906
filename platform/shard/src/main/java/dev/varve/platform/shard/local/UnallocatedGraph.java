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
 * What a family recorded for batches of one {@link GraphKey}: operators without memory for their
 * results.
 *
 * @param logits {@code F32 [vocabularySize, outputs]}, where the range ends the model and some are
 *     wanted
 * @param boundary the activation that leaves the range
 * @param features captured activations by layer
 * @param queries of full attention by layer and slice, {@code F32 [keyLength, heads, tokens]} of
 *     its last tokens, where pages may be asked for
 * @param blocks where the graph stops for keys to be chosen
 */
record UnallocatedGraph(
        GgmlContext context,
        Graph graph,
        GraphInputs inputs,
        Optional<Tensor> logits,
        Optional<Tensor> boundary,
        Map<Integer, Tensor> features,
        Map<Integer, List<Tensor>> queries,
        Optional<SparseGraphBreak> blocks)
        implements AutoCloseable {
    /** Tensors per layer beside those per part; the largest family needs well under half of it. */
    private static final int TENSORS_PER_LAYER = 192;

    /** Tensors per layer for each slice, and for each part into which products are cut. */
    private static final int TENSORS_PER_LAYER_AND_PART = 48;

    private static final int TENSORS_PER_GRAPH = 64;

    /**
     * Lets the family record.
     *
     * @throws GraphBuildException if it breaks a rule or throws
     * @throws VarveException of kind UNAVAILABLE if the device does not run all of it
     */
    static UnallocatedGraph of(
            GraphKey key,
            LayerSplitAdapter model,
            LayerRange range,
            ShardState state,
            ComputeDevice device) {
        int parts = parts(key, state);
        int tensors =
                TENSORS_PER_GRAPH
                        + 2 * parts
                        + range.size() * (TENSORS_PER_LAYER + TENSORS_PER_LAYER_AND_PART * parts)
                        + state.weights().tensorsOfTiles(key.tokens())
                        + state.looked().map(ScoringInputs::moreTensors).orElse(0);
        GgmlContext context = GgmlContext.open(tensors, tensors);
        try {
            GraphBuilder recorder =
                    new GraphBuilder(key, model, range, context, context.newGraph(tensors), state);
            UnallocatedGraph recording = recorder.record();
            recording.requireSupported(device);
            return recording;
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
                state.arithmetic().exactRows() == BatchInvariance.ON
                                && !state.arithmetic().flashAttention()
                        ? rows
                        : 0;
        int products =
                state.arithmetic().exactRows() == BatchInvariance.OFF
                        ? 0
                        : state.weights().mostProductsOf(rows);
        return slices + (runs > 1 ? runs : 0) + Math.max(apart, products);
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

    @Override
    public void close() {
        context.close();
    }
}
