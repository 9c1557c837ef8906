package dev.varve.api.model;

/**
 * What a person may set when a model is opened. Nothing yet; families must accept any later
 * component's default.
 */
public record ModelOptions() {
    /** The defaults. */
    public static ModelOptions defaults() {
        return new ModelOptions();
    }
}
