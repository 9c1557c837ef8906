package dev.varve.platform.wire;

/** Types of protocol frames. */
final class FrameType {
    /** First frame of the side that connected: {@link Hello}. */
    static final int HELLO = 1;

    /**
     * Response to the hello: {@link Hello} with the negotiated values; or {@link #ERROR} with
     * request id 0.
     */
    static final int HELLO_ACK = 2;

    /** More payload of a message that was started. */
    static final int DATA = 3;

    /** Ends a request: status is the {@link WireErrorCode}; meta is u8 retryable, then text. */
    static final int ERROR = 4;

    /** The sender cancels the request. */
    static final int CANCEL = 5;

    /** Meta: u64 arbitrary number. */
    static final int PING = 6;

    /** Meta: u64 number of the ping, u64 progress counter. */
    static final int PONG = 7;

    /** Meta: u64 additional bytes of results and progress that the receiver may send. */
    static final int CREDIT = 8;

    /** The sender closes; meta is the reason as text. */
    static final int GOODBYE = 9;

    private FrameType() {}
}
