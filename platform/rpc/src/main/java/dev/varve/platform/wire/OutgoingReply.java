package dev.varve.platform.wire;

/** Progress or result of a request of the other side. */
final class OutgoingReply extends OutgoingMessage {
    private final long requestId;
    private final FrameHeader.MessageKind part;

    OutgoingReply(long requestId, FrameHeader.MessageKind part, Message message) {
        super(message);
        this.requestId = requestId;
        this.part = part;
    }

    @Override
    long requestId() {
        return requestId;
    }

    @Override
    FrameHeader.MessageKind part() {
        return part;
    }

    @Override
    void finishing() {}
}
