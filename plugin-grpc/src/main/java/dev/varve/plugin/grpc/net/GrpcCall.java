package dev.varve.plugin.grpc.net;

import java.util.concurrent.RejectedExecutionException;

/**
 * Common methods of the calls of both sides.
 *
 * <p>The network's threads end some time after the last connection that used them broke. A call
 * that this side still holds then is over, although this side has not closed it.
 */
interface GrpcCall {
    /**
     * Requests more messages, without effect once the network's threads have ended; from any
     * thread.
     */
    void request(int messages);

    /** Returns whether the send queue has room; from any thread. */
    boolean isReady();

    /**
     * Adds a message to the send queue. Not while another thread sends or finishes.
     *
     * @throws RejectedExecutionException if the network's threads have ended
     */
    void send(Outgoing message);

    /**
     * Ends the call after all sent data has arrived; returns at once, and has no effect once the
     * network's threads have ended. Not while another thread sends.
     */
    void finish();

    /** Runs an operation of a call, which has no effect once the network's threads have ended. */
    static void unlessEnded(Runnable operation) {
        try {
            operation.run();
        } catch (RejectedExecutionException _) {
            // The connection was reported as broken before.
        }
    }
}
