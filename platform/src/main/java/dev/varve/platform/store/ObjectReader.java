package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.platform.store.ArchiveMissException.Reason;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one object chunk by chunk, each only if it is what was written. */
final class ObjectReader {
    private final ObjectKey key;
    private final int chunks;
    private final SnapshotStore store;
    private final ChunkCodec codec;

    ObjectReader(ObjectKey key, int chunks, SnapshotStore store, ChunkCodec codec) {
        this.key = key;
        this.chunks = chunks;
        this.store = store;
        this.codec = codec;
    }

    /** Hands it to a target; returns its bytes. */
    long read(ObjectTarget target, int mostHeader) throws ArchiveMissException, IOException {
        ByteBuffer content = chunk(0);
        ObjectPreamble preamble = preamble(content);
        if (preamble.headerBytes() > mostHeader || codec.chunks(preamble.bytes()) != chunks) {
            throw corrupt(0);
        }
        int part = 0;
        ByteBuffer header = ByteBuffer.allocate(preamble.headerBytes());
        while (true) {
            int count = Math.min(header.remaining(), content.remaining());
            header.put(content.slice(content.position(), count));
            content.position(content.position() + count);
            if (!header.hasRemaining()) {
                break;
            }
            content = chunk(++part);
        }
        if (!target.accept(header.flip(), preamble.payloadBytes())) {
            throw new ArchiveMissException(
                    Reason.MISMATCH, key + " is not what its key says, or of another shape");
        }
        long offset = 0;
        while (true) {
            offset += content.remaining();
            if (offset > preamble.payloadBytes()) {
                throw corrupt(part);
            }
            if (content.hasRemaining()) {
                target.take(offset - content.remaining(), content);
            }
            if (++part == chunks) {
                break;
            }
            content = chunk(part);
        }
        if (offset != preamble.payloadBytes()) {
            throw corrupt(part - 1);
        }
        return preamble.bytes();
    }

    private ObjectPreamble preamble(ByteBuffer content) throws ArchiveMissException {
        return ObjectPreamble.take(key, content).orElseThrow(() -> corrupt(0));
    }

    private ByteBuffer chunk(int part) throws ArchiveMissException, IOException {
        if (part >= chunks || !store.get(codec.key(key, part), codec.value())) {
            throw corrupt(part);
        }
        return codec.decode(key, part).orElseThrow(() -> corrupt(part));
    }

    private ArchiveMissException corrupt(int part) {
        return new ArchiveMissException(
                Reason.CORRUPT,
                "chunk " + part + " of " + chunks + " of " + key + " is not as it was written");
    }
}
