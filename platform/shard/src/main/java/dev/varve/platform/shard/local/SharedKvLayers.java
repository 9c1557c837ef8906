package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

/** The layers whose rows the attention layers of a shard read. */
record SharedKvLayers(ModelShape shape, LayerRange range) {
    SharedKvLayers {
        for (int layer = range.begin(); layer < range.end(); layer++) {
            if (shape.layers().get(layer) instanceof LayerState.SharedAttention shared
                    && !range.contains(shared.source())) {
                throw new IllegalArgumentException(
                        "layer "
                                + layer
                                + " attends to the rows of layer "
                                + shared.source()
                                + ", which is not in the range "
                                + range);
            }
        }
    }

    /** Whether a layer with its own rows is a sliding one. */
    boolean slides(int layer) {
        return shape.layers().get(layer) instanceof LayerState.SlidingAttention;
    }

    /** The layer whose rows a layer reads: itself, or the one that it shares with. */
    int rowsOf(int layer) {
        return shape.layers().get(layer) instanceof LayerState.SharedAttention shared
                ? shared.source()
                : layer;
    }

    /** The layer whose rows a sharing layer reads. */
    int source(int layer) {
        if (shape.layers().get(layer) instanceof LayerState.SharedAttention shared) {
            return shared.source();
        }
        throw new IllegalArgumentException("layer " + layer + " has rows of its own");
    }
}
