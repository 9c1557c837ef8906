package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;

/**
 * Memory of this process outside the heap, which does not count towards the JVM's limit for direct
 * buffers. Close it only when no thread uses its bytes any more.
 */
public final class HostMemory implements AutoCloseable {
    private static final long HUGE_PAGE = 2 << 20;

    /** {@code void * aligned_alloc(size_t alignment, size_t size)} */
    private static final MethodHandle ALIGNED_ALLOC =
            Native.bindSystem("aligned_alloc", returns(C_POINTER, C_SIZE_T, C_SIZE_T));

    /** {@code void free(void * memory)} */
    private static final MethodHandle FREE = Native.bindSystem("free", returnsNothing(C_POINTER));

    private final Arena arena;
    private final ByteBuffer bytes;

    private HostMemory(Arena arena, ByteBuffer bytes) {
        this.arena = arena;
        this.bytes = bytes;
    }

    /**
     * Allocates memory filled with zeros.
     *
     * @throws OutOfMemoryError if the system has not enough memory
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

    /**
     * Allocates a large block of memory, in huge pages where the system has them. Its content is
     * undefined; the system commits the pages when they are touched.
     *
     * @throws OutOfMemoryError if the system has not enough memory
     */
    @SuppressWarnings("restricted")
    public static HostMemory reserve(int bytes) {
        long size = Math.ceilDiv((long) bytes, HUGE_PAGE) * HUGE_PAGE;
        MemorySegment memory =
                MemorySegment.ofAddress(NativeCall.call(ALIGNED_ALLOC, HUGE_PAGE, size));
        if (Native.isNull(memory)) {
            throw new OutOfMemoryError("the system cannot allocate " + size + " more bytes");
        }
        Arena arena = Arena.ofShared();
        MemorySegment owned = memory.reinterpret(size, arena, HostMemory::free);
        MemoryAdvice.give(owned, MemoryAdvice.HUGE_PAGE);
        return new HostMemory(arena, owned.asSlice(0, bytes).asByteBuffer());
    }

    private static void free(MemorySegment memory) {
        NativeCall.call(FREE, memory.address());
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
