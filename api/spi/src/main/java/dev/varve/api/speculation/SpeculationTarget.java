package dev.varve.api.speculation;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelShape;

import java.util.Objects;

/**
 * The model for which a speculator proposes tokens.
 *
 * <p>Grows: later versions may add components; existing ones stay.
 *
 * @param file file that the model was loaded from
 * @param shape sizes of the model
 * @param limits limits of its use on this server
 */
public record SpeculationTarget(GgufFile file, ModelShape shape, Limits limits) {
    /** Refuses null. */
    public SpeculationTarget {
        Objects.requireNonNull(file);
        Objects.requireNonNull(shape);
        Objects.requireNonNull(limits);
    }

    /**
     * Limits within which a model is used.
     *
     * @param contextTokens maximum tokens of one sequence
     * @param sequences maximum concurrent sequences
     * @param draftTokens maximum useful length of a draft
     */
    public record Limits(int contextTokens, int sequences, int draftTokens) {
        /** Checks that none is 0. */
        public Limits {
            if (contextTokens < 1 || sequences < 1 || draftTokens < 1) {
                throw new IllegalArgumentException(
                        "limits must be positive, got context "
                                + contextTokens
                                + ", sequences "
                                + sequences
                                + ", draft "
                                + draftTokens);
            }
        }
    }
}
