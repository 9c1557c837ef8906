package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * Message from one side to the other. The buffers are read-only little-endian views; each call of
 * an accessor returns a new view from the first byte to the last. The sender must not change the
 * bytes behind it until it was answered.
 *
 * @param type meaning of the message, {@value #FIRST_TYPE} to 65535
 * @param meta small fields, at most {@value #MAX_META_BYTES} bytes
 * @param payload bulk bytes
 */
public record Message(int type, ByteBuffer meta, ByteBuffer payload) {
    /** Smaller types belong to the protocol. */
    public static final int FIRST_TYPE = 64;

    /** Most bytes of {@link #meta}. */
    public static final int MAX_META_BYTES = 65536 - MessagePrefix.MAX_BYTES;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /** Checks type and length, and stores its own views. */
    public Message {
        if (type < FIRST_TYPE || type > 65535) {
            throw new IllegalArgumentException(
                    "message type must be " + FIRST_TYPE + " to 65535, got " + type);
        }
        if (meta.remaining() > MAX_META_BYTES) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "message %d: expected at most %d bytes of meta, got %d",
                            type,
                            MAX_META_BYTES,
                            meta.remaining()));
        }
        meta = meta.slice().asReadOnlyBuffer();
        payload = payload.slice().asReadOnlyBuffer();
    }

    /** Creates a message without payload. */
    public static Message of(int type, ByteBuffer meta) {
        return new Message(type, meta, EMPTY);
    }

    /** Creates a message that has only a type. */
    public static Message of(int type) {
        return new Message(type, EMPTY, EMPTY);
    }

    @Override
    public ByteBuffer meta() {
        return meta.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public ByteBuffer payload() {
        return payload.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns how much byte credit the message uses. */
    long cost() {
        return (long) meta.remaining() + payload.remaining();
    }

    /** Formats the message without its bytes, which may be arbitrary. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "Message[type=%d, meta=%d bytes, payload=%d bytes]",
                type,
                meta.remaining(),
                payload.remaining());
    }
}
