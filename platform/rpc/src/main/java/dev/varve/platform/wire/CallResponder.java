package dev.varve.platform.wire;

/**
 * A request of the other side that is being served. Ends exactly once, with {@link #reply} or
 * {@link #fail}. Thread-safe. What is sent after the channel was lost goes nowhere, silently.
 */
public interface CallResponder {
    /** Whether nobody waits for the answer any more; the call must still be ended. */
    boolean isCancelled();

    /**
     * Runs an action when the caller loses interest, at once if it has already. It runs on the
     * reader of the channel and must not block.
     */
    void onCancel(Runnable action);

    /**
     * Sends an intermediate message. Waits while the other side does not take messages.
     *
     * @throws IllegalStateException if the call has ended
     */
    void progress(Message message);

    /**
     * Ends the call with a result; one that is larger than the other side takes becomes an error.
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
