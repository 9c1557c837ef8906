package dev.varve.platform.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Objects in chunks, each a value of a store: a checksum, the length of its content, and the
 * content, encrypted if there is a cipher. The checksum is over the chunk's key as well, so that a
 * chunk in another one's place is found out. Not thread-safe: it has buffers of its own.
 */
final class ChunkCodec {
    /** Bytes of a chunk's key: the object's and the number of the part. */
    static final int KEY_BYTES = ObjectKey.BYTES + Integer.BYTES;

    private static final int FRAME = 2 * Integer.BYTES;

    /** Most content that a chunk should have, about: more is no faster. */
    private static final int MOST_TARGET = 128 << 10;

    /** Least, about: of less, too much is no content. */
    private static final int LEAST_TARGET = 8 << 10;

    /** Chunks that a block should have at least, since the last one of an object is half empty. */
    private static final int PARTS = 16;

    private static final int LEAST_VALUE = 4096;
    private static final int GRAIN = 64;

    /** What stands before the payload of a block, with some more for good measure. */
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

    /** The size of values with which blocks of some bytes waste little. */
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

    /** How many chunks some bytes take. */
    int chunks(long bytes) {
        return Math.toIntExact((bytes + capacity() - 1) / capacity());
    }

    /** The key of a part; valid until the next call. */
    ByteBuffer key(ObjectKey object, int part) {
        key.clear();
        object.put(key);
        return key.putInt(part).flip();
    }

    /** A buffer for the content of a part, empty; valid until the next call. */
    ByteBuffer content() {
        return plain.clear().limit(capacity());
    }

    /** The content is what was put to {@link #content} so far. */
    void endContent() {
        plain.flip();
    }

    /** What of an encoded value says anything; the rest only fills it up. */
    ByteBuffer used(ByteBuffer encoded) {
        return encoded.slice(
                0, FRAME + encoded.order(ByteOrder.LITTLE_ENDIAN).getInt(Integer.BYTES));
    }

    /**
     * The content of a value that is as long as what it says.
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

    /** A buffer for a value that is to be read; valid until the next call. */
    ByteBuffer value() {
        return value.clear();
    }

    /**
     * Makes a value of what {@link #content} was filled with, from 0 to its limit.
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
     * The content of a value that {@link #value} was filled with.
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
