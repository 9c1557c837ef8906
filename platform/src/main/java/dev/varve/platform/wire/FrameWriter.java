package dev.varve.platform.wire;

import dev.varve.api.transport.Connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Writes frames, each in one gathering write. For one thread at a time; runs per message. */
final class FrameWriter {
    /** Smaller payloads cost less in the stream than a record in shared memory. */
    static final int SHARED_FROM_BYTES = 16 << 10;

    private final Connection connection;
    private final WireCounters counters;
    private final ByteBuffer head =
            ByteBuffer.allocate(FrameHeader.BYTES + MessagePrefix.MAX_BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer prefix =
            ByteBuffer.allocate(MessagePrefix.MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    FrameWriter(Connection connection, WireCounters counters) {
        this.connection = connection;
        this.counters = counters;
    }

    void write(ControlFrame frame) throws IOException {
        ByteBuffer meta = frame.meta().duplicate();
        write(
                new FrameHeader(
                        FrameHeader.LAST,
                        frame.type(),
                        frame.status(),
                        meta.remaining(),
                        frame.requestId(),
                        0,
                        0,
                        0,
                        FrameHeader.crc(meta)),
                meta,
                ByteBuffer.allocate(0));
    }

    /** Writes the next frame of a message. */
    void write(Outgoing out, int maxFrameBytes, Optional<RingProducer> ring) throws IOException {
        switch (out) {
            case OutgoingError error -> {
                error.skipPayload();
                write(error.frame());
            }
            case PendingCall _, OutgoingReply _ -> writeMessage(out, maxFrameBytes, ring);
        }
    }

    private void writeMessage(Outgoing out, int maxFrameBytes, Optional<RingProducer> ring)
            throws IOException {
        if (out.isStarted()) {
            writeMore(out, maxFrameBytes);
            return;
        }
        counters.messagesSent.increment();
        prefix.clear();
        ByteBuffer payload = out.message().payload();
        if (payload.remaining() >= SHARED_FROM_BYTES && ring.isPresent()) {
            Optional<RingSlot> slot = ring.get().put(out.requestId(), payload);
            if (slot.isPresent()) {
                counters.sharedPayloads.increment();
                counters.bytesSent.add(payload.remaining());
                MessagePrefix.put(prefix, payload.remaining(), slot.get());
                out.skipPayload();
                writeFirst(out, FrameHeader.SHARED, ByteBuffer.allocate(0));
                return;
            }
        }
        MessagePrefix.put(prefix, payload.remaining());
        writeFirst(out, 0, out.next(maxFrameBytes));
    }

    private void writeFirst(Outgoing out, int flags, ByteBuffer payload) throws IOException {
        prefix.flip();
        ByteBuffer fields = out.message().meta();
        CRC32C metaCrc = new CRC32C();
        metaCrc.update(prefix.duplicate());
        metaCrc.update(fields.duplicate());
        FrameHeader header =
                header(
                        out,
                        flags | out.part().flag(),
                        out.message().type(),
                        prefix.remaining() + fields.remaining(),
                        payload,
                        (int) metaCrc.getValue());
        write(header, fields, payload);
    }

    private void writeMore(Outgoing out, int maxFrameBytes) throws IOException {
        ByteBuffer payload = out.next(maxFrameBytes);
        prefix.clear().flip();
        write(header(out, 0, FrameType.DATA, 0, payload, 0), ByteBuffer.allocate(0), payload);
    }

    private static FrameHeader header(
            Outgoing out, int flags, int type, int metaBytes, ByteBuffer payload, int metaCrc) {
        boolean last = out.isFinished();
        if (last) {
            out.finishing();
        }
        return new FrameHeader(
                flags
                        | (last ? FrameHeader.LAST : 0)
                        | (payload.hasRemaining() ? FrameHeader.PAYLOAD_CRC : 0),
                type,
                0,
                metaBytes,
                out.requestId(),
                payload.remaining(),
                out.chunk() - 1,
                FrameHeader.crc(payload),
                metaCrc);
    }

    private void write(FrameHeader header, ByteBuffer fields, ByteBuffer payload)
            throws IOException {
        head.clear();
        header.put(head);
        if (header.type() >= Message.FIRST_TYPE) {
            head.put(prefix.duplicate());
        }
        head.flip();
        counters.bytesSent.add(
                FrameHeader.BYTES + (long) header.metaBytes() + header.payloadBytes());
        connection.write(head, fields, payload);
    }
}
