package dev.varve.platform.wire;

import dev.varve.api.transport.Connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads frames and checks their checksums. For one thread. */
final class FrameReader {
    /** Bytes per read: a large frame counts as a sign of life long before its last byte arrives. */
    private static final int SLICE_BYTES = 256 << 10;

    private final Connection connection;
    private final WireCounters counters;
    private final ByteBuffer head = ByteBuffer.allocate(FrameHeader.BYTES);
    private volatile long readings;

    FrameReader(Connection connection, WireCounters counters) {
        this.connection = connection;
        this.counters = counters;
    }

    /** Returns a counter that grows whenever bytes arrive. */
    long readings() {
        return readings;
    }

    FrameHeader header(int maxFrameBytes) throws IOException {
        head.clear();
        connection.read(head);
        readings++;
        FrameHeader header = FrameHeader.read(head.flip(), maxFrameBytes);
        counters.bytesReceived.add(
                FrameHeader.BYTES + (long) header.metaBytes() + header.payloadBytes());
        return header;
    }

    ByteBuffer meta(FrameHeader header) throws IOException {
        ByteBuffer meta = ByteBuffer.allocate(header.metaBytes()).order(ByteOrder.LITTLE_ENDIAN);
        if (meta.hasRemaining()) {
            connection.read(meta);
        }
        meta.flip();
        FrameHeader.expect("meta checksum", header.meta().crc(), FrameHeader.crc(meta));
        return meta;
    }

    /** Reads the payload of a frame to the position of the target and advances it. */
    void payload(FrameHeader header, ByteBuffer target) throws IOException {
        ByteBuffer piece = target.slice(target.position(), header.payloadBytes());
        while (piece.position() < piece.capacity()) {
            piece.limit(Math.min(piece.capacity(), piece.position() + SLICE_BYTES));
            connection.read(piece);
            readings++;
        }
        FrameHeader.expect(
                "payload checksum", header.payload().crc(), FrameHeader.crc(piece.flip()));
        target.position(target.position() + header.payloadBytes());
    }
}
