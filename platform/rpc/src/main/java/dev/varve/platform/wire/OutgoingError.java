package dev.varve.platform.wire;

/** End of a request that failed. Is queued behind results, but needs no credit. */
final class OutgoingError extends OutgoingMessage {
    private static final Message NOTHING = Message.of(Message.FIRST_TYPE);

    private final long requestId;
    private final WireException error;

    OutgoingError(long requestId, WireException error) {
        super(NOTHING);
        this.requestId = requestId;
        this.error = error;
    }

    ControlFrame frame() {
        return ControlFrame.error(requestId, error);
    }

    @Override
    long requestId() {
        return requestId;
    }

    @Override
    FrameHeader.MessageKind part() {
        return FrameHeader.MessageKind.NONE;
    }

    @Override
    void finishing() {}
}
