package dev.varve.api.model;

import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * How a family reads a model file: options that the operator may set, and the length of sequences.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param yarnBetaFast upper bound of YaRN in rotations, replacing the file's
 * @param yarnBetaSlow lower bound of YaRN in rotations, replacing the file's
 * @param contextTokens maximum tokens of a sequence, which may exceed those that the model was
 *     trained for; empty for the latter. What a family derives from it belongs to {@link
 *     LayerSplitAdapter#contextVariant}
 */
public record ModelOptions(
        OptionalDouble yarnBetaFast, OptionalDouble yarnBetaSlow, OptionalInt contextTokens) {
    /** Checks that nothing is missing. */
    public ModelOptions {
        Objects.requireNonNull(yarnBetaFast);
        Objects.requireNonNull(yarnBetaSlow);
        Objects.requireNonNull(contextTokens);
    }

    /** Options for sequences of the length that the model was trained for. */
    public ModelOptions(OptionalDouble yarnBetaFast, OptionalDouble yarnBetaSlow) {
        this(yarnBetaFast, yarnBetaSlow, OptionalInt.empty());
    }

    /** Returns the defaults: all values are those of the file. */
    public static ModelOptions defaults() {
        return new ModelOptions(OptionalDouble.empty(), OptionalDouble.empty());
    }

    /** Returns a copy for sequences of another length. */
    public ModelOptions withContext(int tokens) {
        return new ModelOptions(yarnBetaFast, yarnBetaSlow, OptionalInt.of(tokens));
    }
}
