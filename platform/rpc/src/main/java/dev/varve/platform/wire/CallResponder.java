package dev.varve.platform.wire;

/**
 * Request of the other side that this side serves. Ends exactly once, with {@link #reply} or {@link
 * #fail}. Thread-safe. Messages that are sent after the channel was lost are dropped silently.
 */
public interface CallResponder {
    /** Whether the caller has cancelled the request; the call must still be ended. */
    boolean isCancelled();

    /**
     * Runs an action when the caller cancels, or at once if it has already cancelled. The action
     * runs on the reader of the channel and must not block.
     */
    void onCancel(Runnable action);

    /**
     * Sends a progress message. Waits while the other side accepts no messages.
     *
     * @throws IllegalStateException if the call has ended
     */
    void progress(Message message);

    /**
     * Ends the call with a result; one that is larger than the other side accepts becomes an error.
     * Does not wait for credit; the bytes must not change any more.
     *
     * @throws IllegalStateException if the call has ended
     */
    void reply(Message result);

    /**
     * Ends the call with an error.
     *
     * @throws IllegalStateException if the call has ended
     */
    void fail(WireException error);
}
