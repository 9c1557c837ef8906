package dev.varve.platform.wire;

import java.nio.ByteBuffer;

/**
 * A message of which the first frame arrived.
 *
 * @param target who gets it once it is complete
 * @param payload as large as announced, filled up to its position
 */
record Assembly(Target target, int type, ByteBuffer meta, ByteBuffer payload) {
    /** Whose message it is. */
    sealed interface Target {
        /** A request that this side will serve. */
        record Request(IncomingCall call) implements Target {}

        /** An intermediate message for a call of this side. */
        record Progress(PendingCall call) implements Target {}

        /** The end of a call of this side. */
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
