package dev.varve.platform.remote;

import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartTransfer;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of parts of caches, one part behind the other as in their message and nothing between
 * them. The parts have passed {@link CachePartCodec}, which bounds them. For one thread at a time.
 */
final class CachePartPayload implements CachePartTransfer {
    /** Where each part begins, and where the last one ends. */
    private final int[] begins;

    private ByteBuffer bytes;

    private CachePartPayload(List<CachePart> parts, ByteBuffer bytes) {
        begins = new int[parts.size() + 1];
        for (int i = 0; i < parts.size(); i++) {
            begins[i + 1] = Math.toIntExact(begins[i] + parts.get(i).bytes());
        }
        this.bytes = bytes;
    }

    /** A payload without bytes; room for all of them is made for the first part. */
    static CachePartPayload empty(List<CachePart> parts) {
        return new CachePartPayload(parts, ByteBuffer.allocate(0));
    }

    /**
     * A payload that was received.
     *
     * @throws dev.varve.platform.wire.WireException if it has not the bytes of the parts
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
    public void take(int index, ByteBuffer source) {
        slice(index).put(source);
    }

    @Override
    public void give(int index, ByteBuffer target) {
        target.put(slice(index));
    }

    /** Asks for all parts. */
    void fillFrom(CachePartTransfer source) {
        for (int i = 0; i < begins.length - 1; i++) {
            ByteBuffer part = slice(i);
            source.give(i, part);
            if (part.hasRemaining()) {
                throw new IllegalArgumentException(
                        "part " + i + " was given without its last " + part.remaining() + " bytes");
            }
        }
    }

    /** Passes all parts on. */
    void handTo(CachePartTransfer target) {
        for (int i = 0; i < begins.length - 1; i++) {
            target.take(i, slice(i));
        }
    }

    /** The bytes; none if no part was put in. */
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
