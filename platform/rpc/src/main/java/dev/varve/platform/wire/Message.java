package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * What one side tells the other. The buffers are read-only little-endian views; each call of an
 * accessor returns a view of its own, from its first byte to its last. Whoever makes a message must
 * not change the bytes behind it until it was answered.
 *
 * @param type meaning of the message, {@value #FIRST_TYPE} to 65535
 * @param meta small fields, at most {@value #MAX_META_BYTES} bytes
 * @param payload bulk bytes
 */
public record Message(int type, ByteBuffer meta, ByteBuffer payload) {
    /** Types below belong to the protocol. */
    public static final int FIRST_TYPE = 64;

    /** Most bytes of {@link #meta}. */
    public static final int MAX_META_BYTES = 65536 - MessagePrefix.MAX_BYTES;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /** Checks type and length, and keeps views of its own. */
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

    /** A message without payload. */
    public static Message of(int type, ByteBuffer meta) {
        return new Message(type, meta, EMPTY);
    }

    /** A message that is its type alone. */
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

    /** What the message costs of the byte credit. */
    long cost() {
        return (long) meta.remaining() + payload.remaining();
    }

    /** Without the bytes, which may be anything. */
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
