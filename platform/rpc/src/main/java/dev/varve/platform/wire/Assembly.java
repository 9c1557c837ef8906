package dev.varve.platform.wire;

import java.nio.ByteBuffer;

/**
 * A message whose first frame arrived.
 *
 * @param target receives it once it is complete
 * @param payload has the announced size; filled up to its position
 */
record Assembly(Target target, int type, ByteBuffer meta, ByteBuffer payload) {
    /** Receiver of a message. */
    sealed interface Target {
        /** A request that this side serves. */
        record Request(IncomingCall call) implements Target {}

        /** A progress message for a call of this side. */
        record Progress(PendingCall call) implements Target {}

        /** The result of a call of this side. */
        record Result(PendingCall call) implements Target {}
    }

    boolean isComplete() {
        return !payload.hasRemaining();
    }

    Message message() {
        return new Message(type, meta, payload.duplicate().flip());
    }

    long cost() {
        return (long) meta.remaining() + payload.capacity();
    }
}
