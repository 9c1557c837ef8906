package dev.varve.platform.prefix;

import dev.varve.platform.shard.CapturedFeature;

import java.util.List;

/**
 * Kind of the hidden states that are kept per position. Hidden states of another kind cannot
 * replace them.
 *
 * @param captures layers whose input is captured, ascending; the layer count stands for the output
 *     of the last layer
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

    /** Bytes of the hidden states of a position, {@code F32 [hidden, captures]}. */
    int bytesPerToken() {
        return Math.multiplyExact(captures.size() * hidden, Float.BYTES);
    }

    /** Whether captured features have this kind and at least a number of columns. */
    boolean isOf(List<CapturedFeature> features, int columns) {
        return features.stream().map(CapturedFeature::layer).toList().equals(captures)
                && features.stream()
                        .allMatch(each -> each.values().length >= (long) columns * hidden);
    }
}
