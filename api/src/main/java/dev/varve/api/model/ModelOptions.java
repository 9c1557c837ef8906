package dev.varve.api.model;

import java.util.OptionalDouble;

/**
 * What a person may set when a model is opened.
 *
 * <p>Grows: later versions may add to it, and what is there stays.
 *
 * @param yarnBetaFast upper bound of YaRN in rotations, in place of the file's
 * @param yarnBetaSlow lower bound of YaRN in rotations, in place of the file's
 */
public record ModelOptions(OptionalDouble yarnBetaFast, OptionalDouble yarnBetaSlow) {
    /** The defaults: everything as the file says. */
    public static ModelOptions defaults() {
        return new ModelOptions(OptionalDouble.empty(), OptionalDouble.empty());
    }
}
