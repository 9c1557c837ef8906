package dev.varve.platform.shard.scoring;

import java.util.OptionalInt;

/**
 * The layers whose attention scores tokens, {@code [begin, end)}; nothing behind them need be
 * computed.
 */
public record ScoringLayers(int begin, int end) {
    /** Refuses an empty range. */
    public ScoringLayers {
        if (begin < 0 || end <= begin) {
            throw new IllegalArgumentException(
                    "score range must be non-empty, got [" + begin + ", " + end + ")");
        }
    }

    /**
     * The range of a drafter.
     *
     * @param layers that it has
     * @param last score only so many of the computed layers, the last ones; empty, or as many as
     *     the drafter has, for all
     * @param exit compute only so many layers; empty, or as many as the drafter has, for all
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

    /** Scored layers, and so many are the buffers that anything is kept in for each. */
    public int layers() {
        return end - begin;
    }

    /** Whether a layer is scored. */
    public boolean contains(int layer) {
        return layer >= begin && layer < end;
    }

    /**
     * Which of the buffers belongs to a layer.
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
