package dev.varve.platform.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Write and read positions of a ring, in bytes since its creation, on separate cache lines. */
final class RingCursors {
    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int WRITTEN = 0;
    private static final int CONSUMED = 128;

    private final ByteBuffer page;

    RingCursors(ByteBuffer page) {
        this.page = page;
    }

    long written() {
        return (long) LONG.getAcquire(page, WRITTEN);
    }

    void written(long position) {
        LONG.setRelease(page, WRITTEN, position);
    }

    long consumed() {
        return (long) LONG.getAcquire(page, CONSUMED);
    }

    void consumed(long position) {
        LONG.setRelease(page, CONSUMED, position);
    }
}
