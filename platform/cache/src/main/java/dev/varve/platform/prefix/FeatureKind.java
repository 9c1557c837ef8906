package dev.varve.platform.prefix;

import dev.varve.platform.shard.CapturedFeature;

import java.util.List;

/**
 * Which hidden states are kept of a position. Those of another kind are of no use in their place.
 *
 * @param captures layers whose input they are, ascending; the layer count stands for the last
 *     layer's output
 * @param hidden elements of each
 */
public record FeatureKind(List<Integer> captures, int hidden) {
    /** Copies the list. */
    public FeatureKind {
        captures = List.copyOf(captures);
        if (captures.isEmpty() || hidden < 1) {
            throw new IllegalArgumentException(
                    "hidden states of layers " + captures + " with " + hidden + " elements");
        }
    }

    /** Bytes of a position's states, {@code F32 [hidden, captures]}. */
    int bytesPerToken() {
        return Math.multiplyExact(captures.size() * hidden, Float.BYTES);
    }

    /** Whether some have what belongs to a number of columns of this kind. */
    boolean isOf(List<CapturedFeature> features, int columns) {
        return features.stream().map(CapturedFeature::layer).toList().equals(captures)
                && features.stream()
                        .allMatch(each -> each.values().length >= (long) columns * hidden);
    }
}
