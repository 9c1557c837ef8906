package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/**
 * Receives the events of one request. Called from the engine's thread, in order; exactly one of
 * {@link #onEnd} and {@link #onError} comes last. A call must return at once: it may not block,
 * wait for a client or submit requests. An exception ends the request, never the engine.
 */
public interface GenerationListener {
    /** The request left the queue, and its cached prefix is being copied to the devices. */
    default void onRestore() {}

    /**
     * The request left the queue, and its cached prefix, if any, is on the devices. {@code
     * cachedTokens} of its prompt need no prefill.
     */
    default void onStart(int cachedTokens) {}

    /** The request lost its slots to older requests and is queued again; it continues later. */
    default void onPreempt() {}

    /** Prefill progress, in prompt tokens. */
    default void onPrefill(int doneTokens, int promptTokens) {}

    /** A token was chosen; the end token itself is not reported. Returns false to stop after it. */
    boolean onToken(GeneratedToken token);

    /** The generation ended. */
    void onEnd(GenerationEnd end);

    /** The request failed or was cancelled. */
    void onError(VarveException error);
}
