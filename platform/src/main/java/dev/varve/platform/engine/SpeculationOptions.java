package dev.varve.platform.engine;

import dev.varve.api.speculation.Speculator;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * How an engine guesses tokens.
 *
 * @param speculator guesses; the engine closes it
 * @param most most guesses of a sequence in a step
 * @param width guesses of a sequence in every step; empty: as many as pay, by measured costs
 */
public record SpeculationOptions(Speculator speculator, int most, OptionalInt width) {
    /** Checks that something is guessed. */
    public SpeculationOptions {
        Objects.requireNonNull(speculator);
        if (most < 1 || width.isPresent() && width.getAsInt() < 1) {
            throw new IllegalArgumentException("speculation: most " + most + ", width " + width);
        }
    }
}
