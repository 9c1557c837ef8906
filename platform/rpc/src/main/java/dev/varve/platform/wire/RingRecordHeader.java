package dev.varve.platform.wire;

import java.nio.ByteBuffer;

/**
 * Header of a record in a ring, {@value #HEADER_BYTES} bytes, little-endian: u64 sequence, u64
 * request id, u64 length, u32 CRC32C. The data follows; records begin at multiples of {@value
 * #HEADER_BYTES} and never wrap: one that does not fit before the end begins at the start.
 */
record RingRecordHeader(long sequence, long requestId, long length, int crc) {
    static final int HEADER_BYTES = 64;

    void put(ByteBuffer ring, int offset) {
        ring.putLong(offset, sequence)
                .putLong(offset + 8, requestId)
                .putLong(offset + 16, length)
                .putInt(offset + 24, crc);
    }

    static RingRecordHeader read(ByteBuffer ring, int offset) {
        return new RingRecordHeader(
                ring.getLong(offset),
                ring.getLong(offset + 8),
                ring.getLong(offset + 16),
                ring.getInt(offset + 24));
    }

    /** Returns the bytes of a record with its header. */
    static long bytes(long length) {
        return HEADER_BYTES + (length + HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES;
    }

    /** Returns the start of a record if all bytes before a position are used. */
    static long start(long position, long bytes, int capacity) {
        long left = capacity - position % capacity;
        return left < bytes ? position + left : position;
    }
}
