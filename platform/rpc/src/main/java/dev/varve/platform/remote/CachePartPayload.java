package dev.varve.platform.remote;

import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Bytes of cache parts, one part after the other in the order of their message, without gaps.
 * {@link CachePartCodec} has checked the parts and bounds their sizes. For one thread at a time.
 */
final class CachePartPayload implements CachePartCallback {
    /** Offset of each part, and the end of the last one. */
    private final int[] begins;

    private ByteBuffer bytes;

    private CachePartPayload(List<CachePart> parts, ByteBuffer bytes) {
        begins = new int[parts.size() + 1];
        for (int i = 0; i < parts.size(); i++) {
            begins[i + 1] = Math.toIntExact(begins[i] + parts.get(i).bytes());
        }
        this.bytes = bytes;
    }

    /** Creates a payload without bytes; the first part allocates room for all of them. */
    static CachePartPayload empty(List<CachePart> parts) {
        return new CachePartPayload(parts, ByteBuffer.allocate(0));
    }

    /**
     * Wraps a received payload.
     *
     * @throws dev.varve.platform.wire.WireException if its length does not match the parts
     */
    static CachePartPayload of(List<CachePart> parts, ByteBuffer received) {
        CachePartPayload payload = new CachePartPayload(parts, received);
        if (received.remaining() != payload.end()) {
            throw FieldReader.invalid("parts", payload.end() + " bytes", received.remaining());
        }
        return payload;
    }

    private int end() {
        return begins[begins.length - 1];
    }

    @Override
    public void accept(int index, ByteBuffer source) {
        slice(index).put(source);
    }

    @Override
    public void give(int index, ByteBuffer target) {
        target.put(slice(index));
    }

    /** Fills all parts from a source. */
    void fillFrom(CachePartCallback source) {
        for (int i = 0; i < begins.length - 1; i++) {
            ByteBuffer part = slice(i);
            source.give(i, part);
            if (part.hasRemaining()) {
                throw new IllegalArgumentException(
                        "the last " + part.remaining() + " bytes of part " + i + " are missing");
            }
        }
    }

    /** Passes all parts to a target. */
    void handTo(CachePartCallback target) {
        for (int i = 0; i < begins.length - 1; i++) {
            target.accept(i, slice(i));
        }
    }

    /** Returns the bytes; empty if no part was added. */
    ByteBuffer bytes() {
        return bytes;
    }

    private ByteBuffer slice(int index) {
        if (bytes.capacity() < end()) {
            bytes = ByteBuffer.allocate(end());
        }
        return bytes.slice(begins[index], begins[index + 1] - begins[index]);
    }
}
