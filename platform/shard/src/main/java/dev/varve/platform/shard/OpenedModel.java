package dev.varve.platform.shard;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;

import java.util.Objects;

/**
 * A model file and how its family reads it. Nothing of it is loaded; thread-safe.
 *
 * @param file the file, all parts of it
 * @param adapter the model as its family sees it
 */
public record OpenedModel(GgufFile file, LayerSplitAdapter adapter) {
    /** Checks that nothing is missing. */
    public OpenedModel {
        Objects.requireNonNull(file);
        Objects.requireNonNull(adapter);
    }

    /** Layers, widths and state of the model. */
    public ModelShape shape() {
        return adapter.shape();
    }

    /** A range of its layers, as shards load it. */
    public ModelRange range(LayerRange range) {
        return new ModelRange(file, adapter, range);
    }
}
