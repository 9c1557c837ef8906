package dev.varve.api.model;

import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The sizes of a model that the platform needs to know.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param architecture {@code general.architecture} of the file
 * @param sizes widths of the whole model
 * @param layers one entry per layer of the backbone, in order
 * @param skippedBlocks blocks of the file that the backbone does not run (multi-token prediction),
 *     see {@link ModelFamilyProvider#openMtp}
 */
public record ModelShape(
        String architecture, Sizes sizes, List<LayerState> layers, int skippedBlocks) {
    /**
     * Widths of the whole model, each at least 1.
     *
     * @param embeddingLength width of the hidden state, and usually of the activation between two
     *     layers
     * @param vocabularySize rows of the output head
     * @param contextLength positions that the model was trained for
     */
    public record Sizes(int embeddingLength, int vocabularySize, int contextLength) {
        /** Checks that no size is 0. */
        public Sizes {
            if (embeddingLength <= 0 || vocabularySize <= 0 || contextLength <= 0) {
                throw new IllegalArgumentException(
                        "sizes of a model must be positive, got width "
                                + embeddingLength
                                + ", vocabulary "
                                + vocabularySize
                                + ", context "
                                + contextLength);
            }
        }
    }

    /** Copies the layers and checks the sizes. */
    public ModelShape {
        Objects.requireNonNull(architecture);
        layers = List.copyOf(layers);
        Objects.requireNonNull(sizes);
        if (layers.isEmpty() || skippedBlocks < 0) {
            throw new IllegalArgumentException(
                    "a model needs at least 1 layer and no negative number of skipped blocks, got "
                            + layers.size()
                            + " layers, "
                            + skippedBlocks
                            + " skipped blocks");
        }
        requireSources(layers);
        requireOneWindow(layers);
    }

    private static void requireSources(List<LayerState> layers) {
        for (int layer = 0; layer < layers.size(); layer++) {
            if (layers.get(layer) instanceof LayerState.SharedAttention shared
                    && (shared.source() >= layer
                            || !(layers.get(shared.source()) instanceof LayerState.Attention))) {
                throw new IllegalArgumentException(
                        "layer "
                                + layer
                                + " shares the rows of layer "
                                + shared.source()
                                + ", which is not an earlier layer with rows of its own");
            }
        }
    }

    private static void requireOneWindow(List<LayerState> layers) {
        long windows =
                layers.stream()
                        .filter(LayerState.SlidingAttention.class::isInstance)
                        .mapToInt(state -> ((LayerState.SlidingAttention) state).window())
                        .distinct()
                        .count();
        if (windows > 1) {
            throw new IllegalArgumentException("sliding layers differ in their window");
        }
    }

    /** Width of the hidden state. */
    public int embeddingLength() {
        return sizes.embeddingLength();
    }

    /** Rows of the output head. */
    public int vocabularySize() {
        return sizes.vocabularySize();
    }

    /** Positions that the model was trained for. */
    public int contextLength() {
        return sizes.contextLength();
    }

    /** Window of the sliding layers; empty where there are none. */
    public OptionalInt window() {
        return layers.stream()
                .filter(LayerState.SlidingAttention.class::isInstance)
                .mapToInt(state -> ((LayerState.SlidingAttention) state).window())
                .findFirst();
    }

    /**
     * Returns whether a layer keeps state that cannot be truncated to an earlier position:
     * recurrent matrices, or rows of a sliding window.
     */
    public boolean forgets() {
        return layers.stream()
                .anyMatch(
                        state ->
                                state instanceof LayerState.Recurrent
                                        || state instanceof LayerState.Custom own
                                                && !own.parts().isEmpty()
                                        || state instanceof LayerState.SlidingAttention);
    }

    /** Returns the number of layers of the backbone. */
    public int layerCount() {
        return layers.size();
    }

    /** Returns the range of all layers of the backbone. */
    public LayerRange allLayers() {
        return new LayerRange(0, layers.size());
    }
}
