package dev.varve.platform.wire;

import dev.varve.api.transport.Connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Writes frames, each in one gathering write. For one thread at a time; runs per message. */
final class FrameWriter {
    /** Smaller payloads cost less in the stream than in a shared-memory record. */
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
                        new FrameHeader.Kind(FrameHeader.LAST, frame.type(), frame.status()),
                        frame.requestId(),
                        0,
                        FrameHeader.Section.of(meta),
                        FrameHeader.Section.NONE),
                meta,
                ByteBuffer.allocate(0));
    }

    /** Writes the next frame of a message. */
    void write(OutgoingMessage out, int maxFrameBytes, Optional<RingProducer> ring)
            throws IOException {
        switch (out) {
            case OutgoingError error -> {
                error.skipPayload();
                write(error.frame());
            }
            case PendingCall _, OutgoingReply _ -> writeMessage(out, maxFrameBytes, ring);
        }
    }

    private void writeMessage(OutgoingMessage out, int maxFrameBytes, Optional<RingProducer> ring)
            throws IOException {
        if (out.isStarted()) {
            writeMore(out, maxFrameBytes);
            return;
        }
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

    private void writeFirst(OutgoingMessage out, int flags, ByteBuffer payload) throws IOException {
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
                        new FrameHeader.Section(
                                prefix.remaining() + fields.remaining(), (int) metaCrc.getValue()),
                        payload);
        write(header, fields, payload);
    }

    private void writeMore(OutgoingMessage out, int maxFrameBytes) throws IOException {
        ByteBuffer payload = out.next(maxFrameBytes);
        prefix.clear().flip();
        write(
                header(out, 0, FrameType.DATA, FrameHeader.Section.NONE, payload),
                ByteBuffer.allocate(0),
                payload);
    }

    private static FrameHeader header(
            OutgoingMessage out,
            int flags,
            int type,
            FrameHeader.Section meta,
            ByteBuffer payload) {
        boolean last = out.isFinished();
        if (last) {
            out.finishing();
        }
        int allFlags =
                flags
                        | (last ? FrameHeader.LAST : 0)
                        | (payload.hasRemaining() ? FrameHeader.PAYLOAD_CRC : 0);
        return new FrameHeader(
                new FrameHeader.Kind(allFlags, type, 0),
                out.requestId(),
                out.chunk() - 1,
                meta,
                FrameHeader.Section.of(payload));
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
