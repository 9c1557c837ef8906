package dev.varve.platform.wire;

import java.nio.ByteBuffer;

/** Message to be sent. Only the thread that holds the write lock advances it. */
abstract sealed class OutgoingMessage permits PendingCall, OutgoingReply, OutgoingError {
    private final Message message;
    private int offset;
    private int chunk;

    OutgoingMessage(Message message) {
        this.message = message;
    }

    /** Returns the id of its request; fixed once the first frame is sent. */
    abstract long requestId();

    abstract FrameHeader.MessageKind part();

    /** Called before the last frame is written. */
    abstract void finishing();

    final Message message() {
        return message;
    }

    final boolean isStarted() {
        return chunk > 0;
    }

    final int chunk() {
        return chunk;
    }

    /** Returns the next piece of the payload and advances. */
    final ByteBuffer next(int maxBytes) {
        ByteBuffer payload = message.payload();
        int length = Math.min(maxBytes, payload.remaining() - offset);
        ByteBuffer piece = payload.slice(offset, length);
        offset += length;
        chunk++;
        return piece;
    }

    /** Skips the payload, which was sent in shared memory. */
    final void skipPayload() {
        offset = message.payload().remaining();
        chunk++;
    }

    final boolean isFinished() {
        return chunk > 0 && offset == message.payload().remaining();
    }
}
