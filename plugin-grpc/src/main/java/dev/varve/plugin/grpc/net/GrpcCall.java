package dev.varve.plugin.grpc.net;

/** What the two sides' calls have in common. */
interface GrpcCall {
    /** Asks for more messages; from any thread. */
    void request(int messages);

    /** Whether the send queue has room; from any thread. */
    boolean isReady();

    /** Puts a message into the send queue. Not while another thread sends or finishes. */
    void send(Outgoing message);

    /** Lets what was sent arrive, then ends the call. Not while another thread sends. */
    void finish();
}
