package dev.varve.plugin.grpc.net;

/** Common methods of the calls of both sides. */
interface GrpcCall {
    /** Requests more messages; from any thread. */
    void request(int messages);

    /** Returns whether the send queue has room; from any thread. */
    boolean isReady();

    /** Adds a message to the send queue. Not while another thread sends or finishes. */
    void send(Outgoing message);

    /**
     * Ends the call after all sent data has arrived; returns at once. Not while another thread
     * sends.
     */
    void finish();
}
