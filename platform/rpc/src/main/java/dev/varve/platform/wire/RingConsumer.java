package dev.varve.platform.wire;

import dev.varve.api.FileErrors;

import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * Reading end of a ring. The other side can write to it at any time, so everything is copied once
 * and checked in the copy. For one thread at a time.
 */
final class RingConsumer {
    private final RingCursors cursors;
    private final ByteBuffer ring;
    private long consumed;
    private long sequence;

    RingConsumer(RingCursors cursors, ByteBuffer ring) {
        this.cursors = cursors;
        this.ring = ring;
    }

    /** Returns the most bytes of one payload. */
    long capacity() {
        return ring.capacity() - (long) RingRecordHeader.HEADER_BYTES;
    }

    /**
     * Copies a payload out and frees its space.
     *
     * @param target filled from its position to its limit, which is the announced length
     * @throws FrameException if the ring does not match the frame
     */
    void take(long requestId, RingSlot slot, ByteBuffer target) throws FrameException {
        int length = target.remaining();
        long bytes = RingRecordHeader.bytes(length);
        long start = RingRecordHeader.start(consumed, bytes, ring.capacity());
        expect("position", start, slot.position());
        expect("sequence", sequence + 1, slot.sequence());
        if (bytes > ring.capacity() || cursors.written() - start < bytes) {
            throw new FrameException(
                    String.format(Locale.ROOT, "shared memory: %d bytes were not written", length));
        }
        try {
            copy(requestId, slot, target, (int) (start % ring.capacity()));
        } catch (InternalError e) {
            throw new FrameException("shared memory cannot be read: " + FileErrors.reason(e));
        }
        sequence++;
        consumed = start + bytes;
        cursors.consumed(consumed);
    }

    private void copy(long requestId, RingSlot slot, ByteBuffer target, int offset)
            throws FrameException {
        int length = target.remaining();
        RingRecordHeader expected =
                new RingRecordHeader(slot.sequence(), requestId, length, slot.crc());
        RingRecordHeader found = RingRecordHeader.read(ring, offset);
        if (!found.equals(expected)) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT, "shared memory: expected %s, found %s", expected, found));
        }
        target.put(target.position(), ring, offset + RingRecordHeader.HEADER_BYTES, length);
        int crc = FrameHeader.crc(target);
        if (crc != slot.crc()) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "shared memory: payload checksum: expected 0x%08x, found 0x%08x",
                            slot.crc(),
                            crc));
        }
    }

    private static void expect(String field, long expected, long found) throws FrameException {
        if (expected != found) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "shared memory: %s: expected %d, found %d",
                            field,
                            expected,
                            found));
        }
    }
}
