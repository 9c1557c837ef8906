package dev.varve.platform.remote;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes the fields of a message in their fixed order, little-endian. */
final class FieldWriter {
    private ByteBuffer bytes = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

    FieldWriter number(int value) {
        ensureCapacity(Integer.BYTES).putInt(value);
        return this;
    }

    FieldWriter number(long value) {
        ensureCapacity(Long.BYTES).putLong(value);
        return this;
    }

    FieldWriter real(double value) {
        ensureCapacity(Double.BYTES).putDouble(value);
        return this;
    }

    FieldWriter flag(boolean value) {
        ensureCapacity(1).put((byte) (value ? 1 : 0));
        return this;
    }

    FieldWriter text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        number(utf8.length);
        ensureCapacity(utf8.length).put(utf8);
        return this;
    }

    ByteBuffer done() {
        return bytes.flip();
    }

    private ByteBuffer ensureCapacity(int count) {
        if (bytes.remaining() < count) {
            ByteBuffer larger =
                    ByteBuffer.allocate(2 * (bytes.position() + count))
                            .order(ByteOrder.LITTLE_ENDIAN);
            bytes = larger.put(bytes.flip());
        }
        return bytes;
    }
}
