package dev.varve.platform.placement;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;

import java.util.ArrayList;
import java.util.List;

/** A family whose last layers attend to the rows of the two layers before them. */
public record KvSharingModel(int layers, int sharing) implements LayerSplitAdapter {
    @Override
    public ModelShape shape() {
        List<LayerState> states = new ArrayList<>();
        int owning = layers - sharing;
        for (int layer = 0; layer < layers; layer++) {
            states.add(
                    layer < owning
                            ? new LayerState.FullAttention(1, 64, 64)
                            : new LayerState.SharedAttention(owning - 1 - layer % 2));
        }
        return new ModelShape("sharing", new ModelShape.Sizes(64, 100, 4096), states, 0);
    }

    @Override
    public List<LayerRange> align(List<LayerRange> ranges) {
        List<LayerRange> aligned = new ArrayList<>(ranges);
        int limit = layers - sharing - 2;
        for (int i = ranges.size() - 1; i > 0; i--) {
            int begin = Math.min(ranges.get(i).begin(), limit);
            aligned.set(i, new LayerRange(begin, aligned.get(i).end()));
            aligned.set(
                    i - 1, new LayerRange(Math.min(aligned.get(i - 1).begin(), begin - 1), begin));
            limit = begin - 1;
        }
        return aligned;
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        return new TensorSelection(List.of());
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        throw new UnsupportedOperationException("loads nothing");
    }

    @Override
    public ChatDialect chatDialect() {
        throw new UnsupportedOperationException("does not chat");
    }
}
