package dev.varve.platform.engine;

import dev.varve.api.speculation.Speculator;
import dev.varve.platform.speculation.TreeOptions;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * How an engine guesses tokens.
 *
 * @param speculator guesses; the engine closes it
 * @param most most guesses of a sequence in a step, one after the other
 * @param width guesses of a sequence in every step; empty: as many as pay, by measured costs
 * @param trees whether guesses may branch
 * @param name what guesses, for people
 */
public record SpeculationOptions(
        Speculator speculator, int most, OptionalInt width, TreeOptions trees, String name) {
    /** Checks that something is guessed. */
    public SpeculationOptions {
        Objects.requireNonNull(speculator);
        Objects.requireNonNull(trees);
        Objects.requireNonNull(name);
        if (most < 1 || width.isPresent() && width.getAsInt() < 1) {
            throw new IllegalArgumentException("speculation: most " + most + ", width " + width);
        }
    }

    /** What guesses is called by its type. */
    public SpeculationOptions(
            Speculator speculator, int most, OptionalInt width, TreeOptions trees) {
        this(speculator, most, width, trees, speculator.getClass().getSimpleName());
    }

    /** Guesses follow one another. */
    public SpeculationOptions(Speculator speculator, int most, OptionalInt width) {
        this(speculator, most, width, TreeOptions.OFF);
    }

    /** Most guesses of a sequence in a step, whichever follow one another. */
    public int columns() {
        return Math.max(most, trees.guesses());
    }
}
