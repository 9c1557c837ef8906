package dev.varve.api.speculation;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelShape;

import java.util.Objects;

/**
 * The model whose tokens are guessed.
 *
 * <p>Grows: later versions may add to it, and what is there stays.
 *
 * @param file what it was loaded from
 * @param shape its sizes
 * @param limits how much of it is used
 */
public record SpeculationTarget(GgufFile file, ModelShape shape, Limits limits) {
    /** Checks that nothing is missing. */
    public SpeculationTarget {
        Objects.requireNonNull(file);
        Objects.requireNonNull(shape);
        Objects.requireNonNull(limits);
    }

    /**
     * How much of a model is used.
     *
     * @param contextTokens most tokens of one sequence
     * @param sequences most sequences at once
     * @param draftTokens most tokens that a proposal can be of use with
     */
    public record Limits(int contextTokens, int sequences, int draftTokens) {
        /** Checks that none is 0. */
        public Limits {
            if (contextTokens < 1 || sequences < 1 || draftTokens < 1) {
                throw new IllegalArgumentException(
                        "context "
                                + contextTokens
                                + ", sequences "
                                + sequences
                                + ", draft "
                                + draftTokens);
            }
        }
    }
}
