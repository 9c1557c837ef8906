package dev.varve.platform.shard;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;

import java.util.Objects;

/**
 * Layers of a model, as a shard loads them.
 *
 * @param file where the weights are
 * @param model the file as its family sees it
 * @param range which layers
 */
public record ModelRange(GgufFile file, LayerSplitAdapter model, LayerRange range) {
    /** Checks that nothing is missing. */
    public ModelRange {
        Objects.requireNonNull(file);
        Objects.requireNonNull(model);
        Objects.requireNonNull(range);
    }
}
