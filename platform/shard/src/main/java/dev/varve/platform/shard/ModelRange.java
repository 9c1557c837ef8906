package dev.varve.platform.shard;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;

import java.util.Objects;

/**
 * Layer range of a model, as a shard loads it.
 *
 * @param file file with the weights
 * @param model the file as its family reads it
 * @param range layers to load
 */
public record ModelRange(GgufFile file, LayerSplitAdapter model, LayerRange range) {
    /** Checks that nothing is missing. */
    public ModelRange {
        Objects.requireNonNull(file);
        Objects.requireNonNull(model);
        Objects.requireNonNull(range);
    }
}
