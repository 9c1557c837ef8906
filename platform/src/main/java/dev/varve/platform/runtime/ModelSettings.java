package dev.varve.platform.runtime;

import dev.varve.api.model.ModelOptions;

import java.util.Objects;

/**
 * What a person may set about a model that is being loaded, wherever it computes.
 *
 * @param sequences how many there may be, and how long
 * @param computation how the shards compute
 * @param reading how the family reads the file
 * @param waiting how many requests wait, and how long
 */
public record ModelSettings(
        SequenceLimits sequences,
        Computation computation,
        ModelOptions reading,
        WaitingLimits waiting) {
    /** Checks that nothing is missing. */
    public ModelSettings {
        Objects.requireNonNull(sequences);
        Objects.requireNonNull(computation);
        Objects.requireNonNull(reading);
        Objects.requireNonNull(waiting);
    }

    /** A few sequences of the usual length. */
    public static ModelSettings defaults() {
        return of(SequenceLimits.parallel(SequenceLimits.DEFAULT_PARALLEL));
    }

    /** One sequence of a given length. */
    public static ModelSettings single(int contextTokens) {
        return of(SequenceLimits.of(contextTokens, 1));
    }

    /** Some sequences, and everything else as usual. */
    public static ModelSettings of(SequenceLimits sequences) {
        return new ModelSettings(
                sequences,
                Computation.defaults(),
                ModelOptions.defaults(),
                WaitingLimits.defaults());
    }

    /** The same for other sequences. */
    public ModelSettings with(SequenceLimits other) {
        return new ModelSettings(other, computation, reading, waiting);
    }

    /** The same, computed in another way. */
    public ModelSettings with(Computation other) {
        return new ModelSettings(sequences, other, reading, waiting);
    }

    /** The same for a model that is read in another way. */
    public ModelSettings with(ModelOptions other) {
        return new ModelSettings(sequences, computation, other, waiting);
    }

    /** The same with other limits to waiting. */
    public ModelSettings with(WaitingLimits other) {
        return new ModelSettings(sequences, computation, reading, other);
    }
}
