package dev.varve.platform.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes one object chunk by chunk, the first one last: without it the object does not exist. */
final class ObjectWriter {
    private final ObjectPreamble preamble;
    private final ByteBuffer header;
    private final ObjectSource source;
    private final ChunkCodec codec;

    /** Receiver of chunks. */
    @FunctionalInterface
    interface ChunkSink {
        /** Stores a chunk; returns whether there was room for it. */
        boolean put(int part, ByteBuffer key, ByteBuffer value) throws IOException;
    }

    ObjectWriter(
            ObjectPreamble preamble, ByteBuffer header, ObjectSource source, ChunkCodec codec) {
        this.preamble = preamble;
        this.header = header;
        this.source = source;
        this.codec = codec;
    }

    /** Writes all chunks; returns whether there was room for them. */
    boolean write(ChunkSink to, int chunks) throws IOException {
        ObjectKey key = preamble.name().key();
        for (int part = chunks - 1; part >= 0; part--) {
            fill((long) part * codec.capacity());
            ByteBuffer value = codec.encode(key, part);
            if (!to.put(part, codec.key(key, part), value)) {
                return false;
            }
        }
        return true;
    }

    /** Fills the codec's buffer with the object's bytes from an offset on. */
    private void fill(long begin) {
        ByteBuffer content = codec.content();
        content.limit((int) Math.min(codec.capacity(), preamble.bytes() - begin));
        long at = begin;
        if (at == 0) {
            preamble.put(content);
            at = ObjectPreamble.BYTES;
        }
        long headerEnd = ObjectPreamble.BYTES + header.remaining();
        if (at < headerEnd) {
            int first = (int) (at - ObjectPreamble.BYTES);
            int count = (int) Math.min(headerEnd - at, content.remaining());
            content.put(header.slice(header.position() + first, count));
            at += count;
        }
        if (content.hasRemaining()) {
            source.give(at - headerEnd, content);
        }
        content.flip();
    }
}
