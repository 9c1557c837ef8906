package dev.varve.api.model;

/**
 * Half-open range of transformer layers, {@code [begin, end)}, counted from 0.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public record LayerRange(int begin, int end) {
    /** Refuses an empty range. */
    public LayerRange {
        if (begin < 0 || end <= begin) {
            throw new IllegalArgumentException(
                    "layer range must be non-empty, got [" + begin + ", " + end + ")");
        }
    }

    /** Returns the number of layers in the range. */
    public int size() {
        return end - begin;
    }

    /** Returns whether {@code layer} lies in the range. */
    public boolean contains(int layer) {
        return layer >= begin && layer < end;
    }

    /**
     * Returns whether the range computes the input of {@code layer}: the outputs of its own layers,
     * and the embedding if it begins the model. Of the ranges that cover a model exactly one does.
     */
    public boolean computesInputOf(int layer) {
        return layer == 0 ? begin == 0 : layer > begin && layer <= end;
    }

    @Override
    public String toString() {
        return "[" + begin + ", " + end + ")";
    }
}
