package dev.varve.plugin.chronicle.map;

import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.RandomDataInput;
import net.openhft.chronicle.bytes.RandomDataOutput;
import net.openhft.chronicle.core.Jvm;
import net.openhft.chronicle.core.UnsafeMemory;
import net.openhft.chronicle.hash.Data;

import java.nio.ByteBuffer;

/** The remaining bytes of a buffer, as a value that a map copies in one operation. */
final class BufferData implements Data<byte[]> {
    private final ByteBuffer buffer;

    BufferData(ByteBuffer buffer) {
        this.buffer = copyable(buffer);
    }

    /**
     * Returns a buffer that can be copied in one operation: read-only heap buffers hide their
     * arrays.
     */
    private static ByteBuffer copyable(ByteBuffer buffer) {
        return buffer.isDirect() || buffer.hasArray() ? buffer : ByteBuffer.wrap(bytes(buffer));
    }

    /** Returns the remaining bytes of a buffer, which is not changed. */
    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    /** Fills a buffer from an address outside the heap. */
    static void read(long address, ByteBuffer target) {
        int bytes = target.remaining();
        if (target.isDirect()) {
            UnsafeMemory.INSTANCE.copyMemory(
                    address, Jvm.address(target) + target.position(), (long) bytes);
        } else {
            UnsafeMemory.INSTANCE.copyMemory(
                    address,
                    target.array(),
                    UnsafeMemory.INSTANCE.arrayBaseOffset(byte[].class)
                            + target.arrayOffset()
                            + target.position(),
                    bytes);
        }
        target.position(target.limit());
    }

    @Override
    @SuppressWarnings("rawtypes") // as the interface declares it
    public void writeTo(RandomDataOutput target, long offset) {
        long address = target.addressForWrite(offset);
        int bytes = buffer.remaining();
        if (buffer.isDirect()) {
            UnsafeMemory.INSTANCE.copyMemory(
                    Jvm.address(buffer) + buffer.position(), address, (long) bytes);
        } else {
            UnsafeMemory.INSTANCE.copyMemory(
                    buffer.array(), buffer.arrayOffset() + buffer.position(), address, bytes);
        }
    }

    @Override
    public long size() {
        return buffer.remaining();
    }

    @Override
    public RandomDataInput bytes() {
        return BytesStore.wrap(get());
    }

    @Override
    public long offset() {
        return 0;
    }

    @Override
    public byte[] get() {
        return bytes(buffer);
    }

    @Override
    public byte[] getUsing(byte[] using) {
        return get();
    }
}
