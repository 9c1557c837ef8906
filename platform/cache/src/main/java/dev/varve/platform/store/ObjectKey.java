package dev.varve.platform.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Key of an object: a SHA-256 of everything that identifies it. Immutable. */
public final class ObjectKey {
    /** Bytes of a key. */
    public static final int BYTES = 32;

    private final byte[] bytes;

    private ObjectKey(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Creates a key of {@value #BYTES} bytes, which are copied.
     *
     * @throws IllegalArgumentException if there are more or fewer
     */
    public static ObjectKey of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    "expected a key of " + BYTES + " bytes, found " + bytes.length);
        }
        return new ObjectKey(bytes.clone());
    }

    /** Reads the key at a buffer's position, and advances the position. */
    static ObjectKey read(ByteBuffer from) {
        byte[] bytes = new byte[BYTES];
        from.get(bytes);
        return new ObjectKey(bytes);
    }

    /** Copies its bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    void put(ByteBuffer to) {
        to.put(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectKey key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        // The bytes of a digest are a good hash.
        return ByteBuffer.wrap(bytes).getInt();
    }

    /** The key in hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
