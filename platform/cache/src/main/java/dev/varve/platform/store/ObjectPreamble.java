package dev.varve.platform.store;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Beginning of every object, from which the index can be rebuilt without a journal.
 *
 * @param headerBytes bytes of the header, which follows it before the payload
 * @param payloadBytes of the payload
 */
record ObjectPreamble(ObjectDescriptor name, int headerBytes, long payloadBytes) {
    private static final int MAGIC = 0x5641_5256;
    private static final int FORMAT = 1;

    /** More than any object has; prevents an overflow of sums and chunk numbers. */
    private static final long MOST_PAYLOAD = 1L << 40;

    /** Bytes of a preamble. */
    static final int BYTES = 6 * Integer.BYTES + Long.BYTES + ObjectKey.BYTES;

    /** Bytes of the whole object. */
    long bytes() {
        return BYTES + headerBytes + payloadBytes;
    }

    void put(ByteBuffer to) {
        to.putInt(MAGIC).putInt(FORMAT);
        name.parent().put(to);
        to.putInt(name.kind().ordinal()).putInt(name.position()).putInt(name.tail());
        to.putInt(headerBytes).putLong(payloadBytes);
    }

    /** Decodes a preamble; empty if the bytes are not a preamble of that object. */
    static Optional<ObjectPreamble> read(ObjectKey key, ByteBuffer from) {
        if (from.remaining() < BYTES || from.getInt() != MAGIC || from.getInt() != FORMAT) {
            return Optional.empty();
        }
        ObjectKey parent = ObjectKey.read(from);
        int kind = from.getInt();
        int position = from.getInt();
        int tail = from.getInt();
        int header = from.getInt();
        long payload = from.getLong();
        if (kind < 0
                || kind >= ObjectKind.values().length
                || tail < 0
                || position < Math.max(1, tail)
                || header < 0
                || payload < 0
                || payload > MOST_PAYLOAD) {
            return Optional.empty();
        }
        ObjectDescriptor name =
                new ObjectDescriptor(key, parent, ObjectKind.values()[kind], position, tail);
        return Optional.of(new ObjectPreamble(name, header, payload));
    }
}
