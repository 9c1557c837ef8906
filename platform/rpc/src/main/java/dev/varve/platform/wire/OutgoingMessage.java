package dev.varve.platform.wire;

import java.nio.ByteBuffer;

/** A message on its way out. Only the thread that holds the write lock moves it on. */
abstract sealed class OutgoingMessage permits PendingCall, OutgoingReply, OutgoingError {
    private final Message message;
    private int offset;
    private int chunk;

    OutgoingMessage(Message message) {
        this.message = message;
    }

    /** Id of its request; fixed once the first frame goes out. */
    abstract long requestId();

    abstract FrameHeader.Part part();

    /** The last frame is about to be written. */
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

    /** Takes the next piece of the payload. */
    final ByteBuffer next(int maxBytes) {
        ByteBuffer payload = message.payload();
        int length = Math.min(maxBytes, payload.remaining() - offset);
        ByteBuffer piece = payload.slice(offset, length);
        offset += length;
        chunk++;
        return piece;
    }

    /** The payload went another way. */
    final void skipPayload() {
        offset = message.payload().remaining();
        chunk++;
    }

    final boolean isFinished() {
        return chunk > 0 && offset == message.payload().remaining();
    }
}
