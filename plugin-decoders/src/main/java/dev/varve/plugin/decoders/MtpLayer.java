package dev.varve.plugin.decoders;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.MtpBlock;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.WeightSelector;

/** A layer behind the backbone, as a block for multi-token prediction contains it. */
record MtpLayer(Layer layer, int width) implements MtpBlock.Layer {
    @Override
    public LayerState state() {
        return layer.state();
    }

    @Override
    public void select(WeightSelector weights) {
        layer.select(weights, width);
    }

    @Override
    public Tensor record(ShardGraph graph, Tensor hidden) {
        return layer.record(graph, hidden, true);
    }
}
