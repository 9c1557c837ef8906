package dev.varve.api.gguf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Builder of a file's bytes that follows no rules, for files that break them. */
final class RawGguf {
    private final ByteArrayOutputStream pairs = new ByteArrayOutputStream();
    private final ByteArrayOutputStream infos = new ByteArrayOutputStream();
    private int magic = 0x46554747;
    private int version = 3;
    private long pairCount;
    private long tensorCount;
    private int dataBytes;

    RawGguf magic(int value) {
        magic = value;
        return this;
    }

    RawGguf version(int value) {
        version = value;
        return this;
    }

    RawGguf pairCount(long value) {
        pairCount = value;
        return this;
    }

    RawGguf tensorCount(long value) {
        tensorCount = value;
        return this;
    }

    RawGguf data(int bytes) {
        dataBytes = bytes;
        return this;
    }

    /** A pair whose value is given as bytes. */
    RawGguf pair(String key, int type, byte[] value) {
        text(pairs, key);
        pairs.writeBytes(int32(type));
        pairs.writeBytes(value);
        pairCount++;
        return this;
    }

    /** An array whose elements are given as bytes. */
    RawGguf array(String key, int elementType, long count, byte[] elements) {
        ByteBuffer value = ByteBuffer.allocate(12 + elements.length).order(ByteOrder.LITTLE_ENDIAN);
        return pair(key, 9, value.putInt(elementType).putLong(count).put(elements).array());
    }

    RawGguf tensor(String name, int type, long offset, long... extents) {
        text(infos, name);
        infos.writeBytes(int32(extents.length));
        for (long extent : extents) {
            infos.writeBytes(int64(extent));
        }
        infos.writeBytes(int32(type));
        infos.writeBytes(int64(offset));
        tensorCount++;
        return this;
    }

    /** The file, with its data at a multiple of 32. */
    byte[] bytes() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(int32(magic));
        out.writeBytes(int32(version));
        out.writeBytes(int64(tensorCount));
        out.writeBytes(int64(pairCount));
        out.writeBytes(pairs.toByteArray());
        out.writeBytes(infos.toByteArray());
        while (out.size() % 32 != 0) {
            out.write(0);
        }
        out.writeBytes(new byte[dataBytes]);
        return out.toByteArray();
    }

    static byte[] int32(int value) {
        return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
    }

    static byte[] int64(long value) {
        return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
    }

    static byte[] string(String value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        text(out, value);
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.writeBytes(int64(bytes.length));
        out.writeBytes(bytes);
    }
}
