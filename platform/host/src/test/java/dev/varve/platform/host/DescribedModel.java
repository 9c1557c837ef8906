package dev.varve.platform.host;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.shard.PlainModel;

import java.util.List;
import java.util.Optional;

/**
 * A model that only describes itself.
 *
 * @param state its only layer
 */
record DescribedModel(LayerState state, Optional<String> contextVariant)
        implements LayerSplitAdapter {
    @Override
    public ModelShape shape() {
        return new ModelShape(
                PlainModel.ARCHITECTURE, new ModelShape.Sizes(8, 61, 4096), List.of(state), 0);
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        throw new AssertionError("a description has no tensors");
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        throw new AssertionError("a description has no graph");
    }
}
