package dev.varve.platform.store;

import dev.varve.platform.store.ArchiveMissException.Reason;

import java.nio.ByteBuffer;
import java.util.Optional;

/** Hands an object to a target while its chunks come, one after the other. */
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
     * @param mostHeader most bytes of a header that is believed
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
     * Takes the next chunk's content.
     *
     * @throws ArchiveMissException if the object is none, or is not wanted
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
            target.take(offset - content.remaining(), content);
        }
    }

    private void begin(ByteBuffer content) throws ArchiveMissException {
        ObjectPreamble read = ObjectPreamble.take(key, content).orElseThrow(() -> corrupt(0));
        if (read.headerBytes() > mostHeader || codec.chunks(read.bytes()) != chunks) {
            throw corrupt(0);
        }
        preamble = Optional.of(read);
        header = ByteBuffer.allocate(read.headerBytes());
    }

    /** Returns whether all of the header is there, and the target wants what stands behind it. */
    private boolean completeHeader(ByteBuffer content) throws ArchiveMissException {
        int count = Math.min(header.remaining(), content.remaining());
        header.put(content.slice(content.position(), count));
        content.position(content.position() + count);
        if (header.hasRemaining()) {
            return false;
        }
        if (!target.accept(header.flip(), preamble.orElseThrow().payloadBytes())) {
            throw new ArchiveMissException(
                    Reason.MISMATCH, key + " is not what its key says, or of another shape");
        }
        accepted = true;
        return true;
    }

    /** All chunks have come; returns the object's bytes. */
    long end() throws ArchiveMissException {
        if (!accepted || offset != preamble.orElseThrow().payloadBytes()) {
            throw corrupt(chunks - 1);
        }
        return preamble.orElseThrow().bytes();
    }

    /** A chunk is not what was written. */
    ArchiveMissException corrupt(int part) {
        return new ArchiveMissException(
                Reason.CORRUPT,
                "chunk " + part + " of " + chunks + " of " + key + " is not as it was written");
    }
}
