package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.WeightSelector;

/**
 * A feed-forward of every token.
 *
 * @param inner its inner width
 */
record DenseFeedForward(FeedForwardNames names, int inner, Gate gate, Activation activation)
        implements FeedForward {

    /** The matrix of the gate. */
    enum Gate {
        /** A matrix of its own. */
        SEPARATE,
        /** The first half of the rows of {@code ffn_up}. */
        IN_UP,
        /** None. */
        NONE
    }

    /** The usual feed-forward of a layer: SwiGLU with three matrices. */
    static DenseFeedForward of(int layer, int inner) {
        return of(layer, inner, Gate.SEPARATE, Activation.SILU);
    }

    static DenseFeedForward of(int layer, int inner, Gate gate, Activation activation) {
        return new DenseFeedForward(
                FeedForwardNames.of(block(layer, "ffn")), inner, gate, activation);
    }

    @Override
    public void select(WeightSelector weights, int width) {
        switch (gate) {
            case SEPARATE -> weights.feedForward(names, width, inner);
            case IN_UP -> {
                weights.matrix(names.name("up"), width, 2L * inner);
                weights.matrix(names.name("down"), inner, width);
            }
            case NONE -> weights.plainFeedForward(names, width, inner);
        }
    }

    @Override
    public Tensor record(ShardGraph graph, Tensor input) {
        return switch (gate) {
            case SEPARATE -> graph.gatedFeedForward(input, names, activation);
            case IN_UP -> withGateInUp(graph, input);
            case NONE -> graph.plainFeedForward(input, names, activation);
        };
    }

    private Tensor withGateInUp(ShardGraph graph, Tensor input) {
        Tensor both = graph.matmul(names.name("up"), input);
        Tensor gate = graph.ops().view2d(both, inner, both.ne(1), both.nb(1), 0);
        long offset = (long) inner * Float.BYTES;
        Tensor up = graph.ops().view2d(both, inner, both.ne(1), both.nb(1), offset);
        Tensor gated =
                switch (activation) {
                    case SILU -> graph.ops().swigluSplit(gate, up);
                    case GELU -> graph.ops().gegluSplit(gate, up);
                    case LIMITED_SWIGLU, RELU_SQUARED ->
                            throw new IllegalStateException(activation + ": expected a gate apart");
                };
        return graph.matmul(names.name("down"), gated);
    }
}
