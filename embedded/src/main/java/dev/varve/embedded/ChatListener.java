package dev.varve.embedded;

/**
 * Receives the parts of a response while it is generated, in order and one call at a time, on a
 * thread of the response. A slow listener delays its own response only. If it throws an exception,
 * the response is cancelled and fails with it.
 *
 * @since 0.1.0
 */
public interface ChatListener {
    /** Receives further reasoning. */
    default void onReasoning(String text) {}

    /** Receives further text. */
    default void onText(String text) {}

    /** Receives a call whose arguments are complete. */
    default void onToolCall(ToolCall call) {}
}
