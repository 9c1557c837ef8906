package dev.varve.platform.shard.scoring;

import java.util.OptionalInt;

/**
 * Layers whose attention scores tokens, {@code [begin, end)}; later layers need not be computed.
 */
public record ScoringLayers(int begin, int end) {
    /** Rejects an empty range. */
    public ScoringLayers {
        if (begin < 0 || end <= begin) {
            throw new IllegalArgumentException(
                    "score range must be non-empty, got [" + begin + ", " + end + ")");
        }
    }

    /**
     * Creates the range of a drafter.
     *
     * @param layers number of its layers
     * @param last scores only this many of the computed layers, the last ones; empty, or the number
     *     of layers, for all
     * @param exit computes only this many layers; empty, or the number of layers, for all
     * @throws IllegalArgumentException if one of the numbers is not positive
     */
    public static ScoringLayers of(int layers, OptionalInt last, OptionalInt exit) {
        requirePositive("layers", layers);
        requirePositive("scored layers", last.orElse(layers));
        requirePositive("computed layers", exit.orElse(layers));
        int end = Math.min(exit.orElse(layers), layers);
        int scored = last.orElse(layers);
        return new ScoringLayers(scored < layers ? end - Math.min(scored, end) : 0, end);
    }

    /** Number of scored layers, which is also the number of per-layer buffers. */
    public int layers() {
        return end - begin;
    }

    /** Whether a layer is scored. */
    public boolean contains(int layer) {
        return layer >= begin && layer < end;
    }

    /**
     * Index of a layer's buffer.
     *
     * @throws IllegalArgumentException if the layer is not scored
     */
    public int buffer(int layer) {
        if (!contains(layer)) {
            throw new IllegalArgumentException(
                    "layer " + layer + " is not among the scored ones, " + this);
        }
        return layer - begin;
    }

    @Override
    public String toString() {
        return "[" + begin + ", " + end + ")";
    }

    private static void requirePositive(String what, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(what + ": expected 1 or more, found " + number);
        }
    }
}
