package dev.varve.embedded;

/**
 * Whether the model calls tools.
 *
 * @since 0.1.0
 */
public enum ToolChoice {
    /** The model decides. */
    AUTO,
    /** The response begins with a call. */
    REQUIRED,
    /** The model does not see the tools. */
    NONE
}
