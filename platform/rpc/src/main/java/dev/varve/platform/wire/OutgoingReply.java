package dev.varve.platform.wire;

/** Progress or result of a request of the other side. */
final class OutgoingReply extends OutgoingMessage {
    private final long requestId;
    private final FrameHeader.Part part;

    OutgoingReply(long requestId, FrameHeader.Part part, Message message) {
        super(message);
        this.requestId = requestId;
        this.part = part;
    }

    @Override
    long requestId() {
        return requestId;
    }

    @Override
    FrameHeader.Part part() {
        return part;
    }

    @Override
    void finishing() {}
}
