package dev.varve.platform.draft;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.Arrays;
import java.util.Optional;

/**
 * Computes the context rows of all layers from hidden states of the target. A row depends on its
 * own token only, so it is computed once, in any batch.
 */
final class ContextGraph implements DraftGraph {
    private static final int TENSORS_PER_LAYER = 32;

    private final int tokens;
    private final int featureLength;
    private final long spareRow;
    private final GgmlContext context;
    private final Graph graph;
    private final Tensor features;

    /** Factors by which features were divided; empty if the network norms them. */
    private final Optional<Tensor> factors;

    private final Tensor positions;
    private final Tensor rows;

    /**
     * @param tokens number of tokens per computation
     */
    ContextGraph(int tokens, DraftFile draft, ShardWeights weights, DraftCache cache) {
        this.tokens = tokens;
        DraftHyperparameters network = draft.network();
        featureLength = network.featureLength();
        spareRow = cache.regions().spareRow();
        int tensors =
                TENSORS_PER_LAYER * (network.layers() + network.captures().size() + 1)
                        + weights.tensorsOfTiles(tokens);
        context = GgmlContext.open(tensors, tensors);
        try {
            graph = context.newGraph(tensors);
            features = context.newTensor(GgmlType.F32, featureLength, tokens).markInput();
            positions = context.newTensor(GgmlType.I32, tokens).markInput();
            rows = context.newTensor(GgmlType.I64, tokens).markInput();
            DraftOperators layers = new DraftOperators(context.ops(), weights, draft);
            factors =
                    layers.normsFeatures()
                            ? Optional.empty()
                            : Optional.of(context.newTensor(GgmlType.F32, 1, tokens).markInput());
            record(layers, network, cache);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    private void record(DraftOperators layers, DraftHyperparameters network, DraftCache cache) {
        Ops ops = context.ops();
        Tensor fused = layers.fuse(features, factors);
        int length = network.heads().keyLength();
        for (int layer = 0; layer < network.layers(); layer++) {
            Tensor own = layers.context(layer, fused);
            Tensor keys = ops.reshape2d(layers.keys(layer, own, positions), length, tokens);
            Tensor values = layers.values(layer, own);
            graph.expand(ops.setRows(cache.layer(layer).keys(), keys, rows));
            graph.expand(ops.setRows(cache.layer(layer).values(), values, rows));
        }
    }

    @Override
    public Graph graph() {
        return graph;
    }

    /**
     * Computes context rows.
     *
     * @param states {@code F32 [features, count]}
     * @param at position of each token
     * @param into cache row of each token
     * @param count at most the number of tokens of the graph
     */
    void compute(float[] states, int[] at, long[] into, int count, ComputeDevice device) {
        writeStates(states, count);
        if (count < tokens) {
            // Padding must be finite, too.
            float[] zeros = new float[(tokens - count) * featureLength];
            features.write(zeros, 0, zeros.length, (long) count * featureLength);
        }
        int[] allPositions = Arrays.copyOf(at, tokens);
        long[] allRows = Arrays.copyOf(into, tokens);
        Arrays.fill(allPositions, count, tokens, 0);
        Arrays.fill(allRows, count, tokens, spareRow);
        positions.write(allPositions, 0, tokens, 0);
        rows.write(allRows, 0, tokens, 0);
        device.compute(graph, Phase.DECODE);
    }

    private void writeStates(float[] states, int count) {
        if (factors.isEmpty()) {
            features.write(states, 0, count * featureLength, 0);
            return;
        }
        float[] divisors = new float[tokens];
        Arrays.fill(divisors, 1);
        float[] divided = FeatureScaling.divide(states, featureLength, count, divisors);
        features.write(divided, 0, count * featureLength, 0);
        factors.get().write(divisors, 0, tokens, 0);
    }

    @Override
    public void close() {
        context.close();
    }
}
