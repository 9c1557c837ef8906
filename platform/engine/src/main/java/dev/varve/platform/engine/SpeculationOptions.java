package dev.varve.platform.engine;

import dev.varve.api.speculation.Speculator;
import dev.varve.platform.speculation.TreeOptions;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * Options of speculative decoding.
 *
 * @param speculator proposes draft tokens; the engine closes it
 * @param most most consecutive draft tokens per sequence and step
 * @param width fixed draft length; empty to choose it by measured costs
 * @param trees whether drafts may branch
 * @param name display name of the speculator
 */
public record SpeculationOptions(
        Speculator speculator, int most, OptionalInt width, TreeOptions trees, String name) {
    /** Checks that the draft lengths are positive, and that no component is null. */
    public SpeculationOptions {
        Objects.requireNonNull(speculator);
        Objects.requireNonNull(trees);
        Objects.requireNonNull(name);
        if (most < 1 || width.isPresent() && width.getAsInt() < 1) {
            throw new IllegalArgumentException(
                    "draft lengths must be positive, got most " + most + ", width " + width);
        }
    }

    /** Creates options with the class name of the speculator as its display name. */
    public SpeculationOptions(
            Speculator speculator, int most, OptionalInt width, TreeOptions trees) {
        this(speculator, most, width, trees, speculator.getClass().getSimpleName());
    }

    /** Creates options without branches. */
    public SpeculationOptions(Speculator speculator, int most, OptionalInt width) {
        this(speculator, most, width, TreeOptions.OFF);
    }

    /** Returns the most draft tokens per sequence and step, branches included. */
    public int columns() {
        return Math.max(most, trees.draftTokens());
    }
}
