package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * Fields at the start of the first frame of a message, before the fields of the message itself: the
 * payload bytes of the whole message and, if they lie in shared memory, their place. Little-endian:
 * u64 total; only with {@link FrameHeader#SHARED}: u64 position, u64 sequence, u32 CRC32C of the
 * payload, u32 zero.
 *
 * @param totalBytes payload bytes of the whole message
 * @param slot place of the payload, meaningful only in frames with {@link FrameHeader#SHARED}
 */
record MessagePrefix(long totalBytes, RingSlot slot) {
    static final int STREAM_BYTES = 8;
    static final int MAX_BYTES = 32;

    static int bytes(boolean shared) {
        return shared ? MAX_BYTES : STREAM_BYTES;
    }

    static void put(ByteBuffer target, long totalBytes) {
        target.putLong(totalBytes);
    }

    static void put(ByteBuffer target, long totalBytes, RingSlot slot) {
        target.putLong(totalBytes)
                .putLong(slot.position())
                .putLong(slot.sequence())
                .putInt(slot.crc())
                .putInt(0);
    }

    static MessagePrefix read(ByteBuffer meta, boolean shared) throws FrameException {
        if (meta.remaining() < bytes(shared)) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "message prefix: expected %d bytes of meta, found %d",
                            bytes(shared),
                            meta.remaining()));
        }
        long total = meta.getLong();
        if (total < 0) {
            throw new FrameException("message prefix: negative payload length " + total);
        }
        if (!shared) {
            return new MessagePrefix(total, RingSlot.NONE);
        }
        RingSlot slot = new RingSlot(meta.getLong(), meta.getLong(), meta.getInt());
        int zero = meta.getInt();
        if (zero != 0) {
            throw new FrameException("message prefix: reserved field is " + zero);
        }
        return new MessagePrefix(total, slot);
    }
}
