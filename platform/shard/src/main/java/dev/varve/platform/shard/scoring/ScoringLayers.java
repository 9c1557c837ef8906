package dev.varve.platform.shard.scoring;

import dev.varve.api.model.LayerRange;

import java.util.OptionalInt;

/** Chooses the layers of a drafter whose attention scores tokens. */
public final class ScoringLayers {
    private ScoringLayers() {}

    /**
     * Returns the scored layers; later layers need not be computed.
     *
     * @param layers number of its layers
     * @param last scores only this many of the computed layers, the last ones; empty, or the number
     *     of layers, for all
     * @param exit computes only this many layers; empty, or the number of layers, for all
     * @throws IllegalArgumentException if one of the numbers is not positive
     */
    public static LayerRange of(int layers, OptionalInt last, OptionalInt exit) {
        requirePositive("layers", layers);
        requirePositive("scored layers", last.orElse(layers));
        requirePositive("computed layers", exit.orElse(layers));
        int end = Math.min(exit.orElse(layers), layers);
        int scored = last.orElse(layers);
        return new LayerRange(scored < layers ? end - Math.min(scored, end) : 0, end);
    }

    private static void requirePositive(String what, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(what + ": expected 1 or more, found " + number);
        }
    }
}
