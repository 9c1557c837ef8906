package dev.varve.api.model;

import java.util.OptionalDouble;

/**
 * Options that the operator may set for a model.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param yarnBetaFast upper bound of YaRN in rotations, replacing the file's
 * @param yarnBetaSlow lower bound of YaRN in rotations, replacing the file's
 */
public record ModelOptions(OptionalDouble yarnBetaFast, OptionalDouble yarnBetaSlow) {
    /** Returns the defaults: all values are those of the file. */
    public static ModelOptions defaults() {
        return new ModelOptions(OptionalDouble.empty(), OptionalDouble.empty());
    }
}
