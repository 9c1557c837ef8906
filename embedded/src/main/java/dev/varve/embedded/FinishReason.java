package dev.varve.embedded;

/**
 * Why a response ended.
 *
 * @since 0.1.0
 */
public enum FinishReason {
    /** The model ended its turn, or wrote a stop string. */
    STOP,
    /** The response reached the limit of its tokens, or the end of the context. */
    LENGTH,
    /** The model calls tools. */
    TOOL_CALLS
}
