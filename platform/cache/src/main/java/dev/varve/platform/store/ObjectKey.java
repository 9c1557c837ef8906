package dev.varve.platform.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Name of an object: a SHA-256 of all that tells it from others. Immutable. */
public final class ObjectKey {
    /** Bytes of a key. */
    public static final int BYTES = 32;

    private final byte[] bytes;

    private ObjectKey(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A key of {@value #BYTES} bytes, which are copied.
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

    /** The key that stands at a buffer's position, which moves behind it. */
    static ObjectKey take(ByteBuffer from) {
        byte[] bytes = new byte[BYTES];
        from.get(bytes);
        return new ObjectKey(bytes);
    }

    /** A copy of its bytes. */
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
        // Bytes of a digest are as good as any hash of them.
        return ByteBuffer.wrap(bytes).getInt();
    }

    /** In hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
