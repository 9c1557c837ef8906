package dev.varve.platform.shard;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;

import java.util.Objects;

/**
 * A model file with the adapter of its family. No weights are loaded; thread-safe.
 *
 * @param file the file, with all parts
 * @param adapter the model as its family reads it
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
