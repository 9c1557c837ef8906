package dev.varve.platform.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Encodes objects as chunks, each a value of a store: a checksum, the length of its content, and
 * the content, encrypted if there is a cipher. The checksum covers the chunk's key, so that a
 * misplaced chunk is detected. Not thread-safe: it has its own buffers.
 */
final class ChunkCodec {
    /** Bytes of a chunk's key: the object key and the number of the part. */
    static final int KEY_BYTES = ObjectKey.BYTES + Integer.BYTES;

    private static final int FRAME = 2 * Integer.BYTES;

    /** Approximate maximum content of a chunk: more is not faster. */
    private static final int MOST_TARGET = 128 << 10;

    /** Approximate minimum content of a chunk: with less, the overhead is too large. */
    private static final int LEAST_TARGET = 8 << 10;

    /** Minimum chunks of a block, because the last chunk of an object is half empty on average. */
    private static final int PARTS = 16;

    private static final int LEAST_VALUE = 4096;
    private static final int GRAIN = 64;

    /** Estimated bytes before the payload of a block, with a margin. */
    private static final int BLOCK_HEADER = 4096;

    private final int valueBytes;
    private final Optional<ChunkCipher> cipher;
    private final ByteBuffer key = ByteBuffer.allocate(KEY_BYTES);
    private final ByteBuffer value;
    private final ByteBuffer plain;
    private final CRC32C checksum = new CRC32C();

    ChunkCodec(int valueBytes, Optional<ChunkCipher> cipher) {
        this.valueBytes = valueBytes;
        this.cipher = cipher;
        value = ByteBuffer.allocateDirect(valueBytes).order(ByteOrder.LITTLE_ENDIAN);
        plain = ByteBuffer.allocateDirect(valueBytes);
    }

    /** Size of values that wastes little space for blocks of some bytes. */
    static int valueBytes(long blockBytes) {
        long block = Math.max(1, blockBytes) + BLOCK_HEADER;
        long target = Math.clamp(block / PARTS, LEAST_TARGET, MOST_TARGET);
        long parts = (block + target - 1) / target;
        long content = (block + parts - 1) / parts + FRAME + ChunkCipher.OVERHEAD;
        long grains = (content + GRAIN - 1) / GRAIN * GRAIN;
        return (int) Math.max(LEAST_VALUE, grains);
    }

    /** Bytes of an object in each of its chunks but the last. */
    int capacity() {
        return valueBytes - FRAME - (cipher.isPresent() ? ChunkCipher.OVERHEAD : 0);
    }

    /** Number of chunks for some bytes. */
    int chunks(long bytes) {
        return Math.toIntExact((bytes + capacity() - 1) / capacity());
    }

    /** Key of a part; valid until the next call. */
    ByteBuffer key(ObjectKey object, int part) {
        key.clear();
        object.put(key);
        return key.putInt(part).flip();
    }

    /** Empty buffer for the content of a part; valid until the next call. */
    ByteBuffer content() {
        return plain.clear().limit(capacity());
    }

    /** Ends the content that was put to {@link #content}. */
    void endContent() {
        plain.flip();
    }

    /** Used part of an encoded value; the rest is padding. */
    ByteBuffer used(ByteBuffer encoded) {
        return encoded.slice(
                0, FRAME + encoded.order(ByteOrder.LITTLE_ENDIAN).getInt(Integer.BYTES));
    }

    /**
     * Decodes a value without padding.
     *
     * @return valid until the next call; empty if it is not that of this part
     */
    Optional<ByteBuffer> decode(ObjectKey object, int part, ByteBuffer bytes) {
        if (bytes.remaining() < FRAME || bytes.remaining() > valueBytes) {
            return Optional.empty();
        }
        int length = bytes.remaining() - FRAME;
        value.clear().put(bytes.duplicate());
        return value.getInt(Integer.BYTES) == length ? decode(object, part) : Optional.empty();
    }

    /** Buffer for a value to read; valid until the next call. */
    ByteBuffer value() {
        return value.clear();
    }

    /**
     * Encodes the content of {@link #content}, from 0 to its limit, as a value.
     *
     * @return valid until the next call
     */
    ByteBuffer encode(ObjectKey object, int part) {
        value.clear().position(FRAME);
        if (cipher.isPresent()) {
            cipher.get().encrypt(key(object, part).array(), plain, value);
        } else {
            value.put(plain);
        }
        int length = value.position() - FRAME;
        value.putInt(Integer.BYTES, length);
        value.putInt(0, checksum(object, part, length));
        return value.clear();
    }

    /**
     * Decodes the value in {@link #value}.
     *
     * @return valid until the next call; empty if it is not that of this part
     */
    Optional<ByteBuffer> decode(ObjectKey object, int part) {
        int length = value.getInt(Integer.BYTES);
        if (length < 1
                || length > valueBytes - FRAME
                || value.getInt(0) != checksum(object, part, length)) {
            return Optional.empty();
        }
        value.limit(FRAME + length).position(FRAME);
        if (cipher.isEmpty()) {
            return Optional.of(value.slice());
        }
        plain.clear();
        return cipher.get().decrypt(key(object, part).array(), value, plain)
                ? Optional.of(plain.flip().slice())
                : Optional.empty();
    }

    private int checksum(ObjectKey object, int part, int length) {
        checksum.reset();
        checksum.update(key(object, part));
        checksum.update(value.slice(Integer.BYTES, Integer.BYTES + length));
        return (int) checksum.getValue();
    }
}
