package dev.varve.api.model;

import java.util.List;
import java.util.Objects;

/**
 * The sizes of a model that the platform needs to know.
 *
 * @param architecture {@code general.architecture} of the file
 * @param embeddingLength width of the boundary activation between two layers
 * @param vocabularySize rows of the output head
 * @param contextLength positions that the model was trained for
 * @param layers one entry per trunk layer, in order
 * @param skippedBlocks blocks of the file that the trunk does not run (multi-token prediction),
 *     kept on record for a later drafter
 */
public record ModelShape(
        String architecture,
        int embeddingLength,
        int vocabularySize,
        int contextLength,
        List<LayerState> layers,
        int skippedBlocks) {
    public ModelShape {
        Objects.requireNonNull(architecture);
        layers = List.copyOf(layers);
        if (embeddingLength <= 0
                || vocabularySize <= 0
                || contextLength <= 0
                || layers.isEmpty()
                || skippedBlocks < 0) {
            throw new IllegalArgumentException(
                    "model shape has an empty dimension: width "
                            + embeddingLength
                            + ", vocabulary "
                            + vocabularySize
                            + ", context "
                            + contextLength
                            + ", layers "
                            + layers.size());
        }
    }

    /** Returns the number of trunk layers. */
    public int layerCount() {
        return layers.size();
    }

    /** Returns the range of all trunk layers. */
    public LayerRange allLayers() {
        return new LayerRange(0, layers.size());
    }
}
