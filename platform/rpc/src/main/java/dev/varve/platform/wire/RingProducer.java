package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.util.Optional;

/** Writing end of a ring. For one thread at a time. */
final class RingProducer {
    private final RingCursors cursors;
    private final ByteBuffer ring;
    private long written;
    private long consumed;
    private long sequence;
    private volatile boolean broken;

    RingProducer(RingCursors cursors, ByteBuffer ring) {
        this.cursors = cursors;
        this.ring = ring;
    }

    /** Copies a payload into the ring; empty if it does not fit now, or the ring is broken. */
    Optional<RingSlot> put(long requestId, ByteBuffer payload) {
        int length = payload.remaining();
        long bytes = RingRecordHeader.bytes(length);
        long start = RingRecordHeader.start(written, bytes, ring.capacity());
        if (broken || bytes > ring.capacity() || start + bytes - consumed() > ring.capacity()) {
            return Optional.empty();
        }
        try {
            return Optional.of(putAt(start, requestId, payload));
        } catch (InternalError e) {
            // no page left in the memory file system: all later payloads use the stream
            broken = true;
            return Optional.empty();
        }
    }

    private RingSlot putAt(long start, long requestId, ByteBuffer payload) {
        int length = payload.remaining();
        int offset = (int) (start % ring.capacity());
        int crc = FrameHeader.crc(payload);
        new RingRecordHeader(sequence + 1, requestId, length, crc).put(ring, offset);
        ring.put(offset + RingRecordHeader.HEADER_BYTES, payload, payload.position(), length);
        sequence++;
        written = start + RingRecordHeader.bytes(length);
        cursors.written(written);
        return new RingSlot(start, sequence, crc);
    }

    private long consumed() {
        long now = cursors.consumed();
        if (now < consumed || now > written) {
            broken = true;
        } else {
            consumed = now;
        }
        return consumed;
    }
}
