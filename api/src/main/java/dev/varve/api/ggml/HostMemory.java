package dev.varve.api.ggml;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/**
 * Memory of this process outside of the heap, of which the runtime's limit for direct buffers knows
 * nothing. Filled with zeros at first. To be closed only when nobody uses its bytes any more.
 */
public final class HostMemory implements AutoCloseable {
    private final Arena arena;
    private final ByteBuffer bytes;

    private HostMemory(Arena arena, ByteBuffer bytes) {
        this.arena = arena;
        this.bytes = bytes;
    }

    /**
     * Takes memory from the system.
     *
     * @throws OutOfMemoryError if it has no more
     */
    public static HostMemory allocate(int bytes) {
        Arena arena = Arena.ofShared();
        try {
            return new HostMemory(arena, arena.allocate(bytes, Long.BYTES).asByteBuffer());
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** All of its bytes, which any thread may use. */
    public ByteBuffer bytes() {
        return bytes.duplicate();
    }

    @Override
    public void close() {
        arena.close();
    }
}
