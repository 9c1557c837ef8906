package dev.varve.platform.store;

import dev.varve.platform.store.ArchiveMissException.Reason;

import java.nio.ByteBuffer;
import java.util.Optional;

/** Passes an object to a target while its chunks arrive in order. */
final class ObjectAssembly {
    private final ObjectKey key;
    private final int chunks;
    private final ChunkCodec codec;
    private final ObjectTarget target;
    private final int mostHeader;
    private Optional<ObjectPreamble> preamble = Optional.empty();
    private ByteBuffer header = ByteBuffer.allocate(0);
    private boolean accepted;
    private long offset;

    /**
     * @param mostHeader maximum accepted bytes of a header
     */
    ObjectAssembly(
            ObjectKey key, int chunks, ChunkCodec codec, ObjectTarget target, int mostHeader) {
        this.key = key;
        this.chunks = chunks;
        this.codec = codec;
        this.target = target;
        this.mostHeader = mostHeader;
    }

    /**
     * Processes the content of the next chunk.
     *
     * @throws ArchiveMissException if the object is invalid, or the target rejects it
     */
    void take(int part, ByteBuffer content) throws ArchiveMissException {
        if (part == 0) {
            begin(content);
        }
        if (!accepted && !completeHeader(content)) {
            return;
        }
        offset += content.remaining();
        if (offset > preamble.orElseThrow().payloadBytes()) {
            throw corrupt(part);
        }
        if (content.hasRemaining()) {
            target.write(offset - content.remaining(), content);
        }
    }

    private void begin(ByteBuffer content) throws ArchiveMissException {
        ObjectPreamble read = ObjectPreamble.read(key, content).orElseThrow(() -> corrupt(0));
        if (read.headerBytes() > mostHeader || codec.chunks(read.bytes()) != chunks) {
            throw corrupt(0);
        }
        preamble = Optional.of(read);
        header = ByteBuffer.allocate(read.headerBytes());
    }

    /** Collects the header; returns whether it is complete and the target accepts the payload. */
    private boolean completeHeader(ByteBuffer content) throws ArchiveMissException {
        int count = Math.min(header.remaining(), content.remaining());
        header.put(content.slice(content.position(), count));
        content.position(content.position() + count);
        if (header.hasRemaining()) {
            return false;
        }
        if (!target.accept(header.flip(), preamble.orElseThrow().payloadBytes())) {
            throw new ArchiveMissException(
                    Reason.MISMATCH, key + " has another prefix or another layout than its key");
        }
        accepted = true;
        return true;
    }

    /** Ends the object after its last chunk; returns its bytes. */
    long end() throws ArchiveMissException {
        if (!accepted || offset != preamble.orElseThrow().payloadBytes()) {
            throw corrupt(chunks - 1);
        }
        return preamble.orElseThrow().bytes();
    }

    /** Creates the failure for a chunk that differs from the written one. */
    ArchiveMissException corrupt(int part) {
        return new ArchiveMissException(
                Reason.CORRUPT,
                "chunk " + part + " of " + chunks + " of " + key + " differs from the written one");
    }
}
