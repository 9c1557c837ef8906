package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

import java.util.List;

/** Models of which a test only needs the sizes. */
final class Shapes {
    private Shapes() {}

    static ModelShape of(int width, int vocabulary, List<LayerState> layers) {
        return new ModelShape("test", new ModelShape.Sizes(width, vocabulary, 1024), layers, 0);
    }
}
