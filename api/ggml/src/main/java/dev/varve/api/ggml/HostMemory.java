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

    /** {@code void * malloc(size_t size)} */
    private static final MethodHandle MALLOC =
            Native.bindSystem("malloc", returns(C_POINTER, C_SIZE_T));

    /** {@code void free(void * memory)} */
    private static final MethodHandle FREE = Native.bindSystem("free", returnsNothing(C_POINTER));

    private final Arena arena;
    private final ByteBuffer bytes;

    private HostMemory(Arena arena, ByteBuffer bytes) {
        this.arena = arena;
        this.bytes = bytes;
    }

    /**
     * Allocates memory whose content is undefined, for callers that write each byte before they
     * read it. The system commits the pages when they are touched.
     *
     * @throws IllegalArgumentException if {@code bytes} is negative
     * @throws OutOfMemoryError if the system has not enough memory
     */
    public static HostMemory allocate(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("expected 0 bytes or more, found " + bytes);
        }
        // malloc may return null for 0 bytes.
        long size = Math.max(1, bytes);
        Arena arena = Arena.ofShared();
        MemorySegment owned = own(NativeCall.call(MALLOC, size), size, arena);
        return new HostMemory(arena, owned.asSlice(0, bytes).asByteBuffer());
    }

    /**
     * Allocates a large block of memory, in huge pages where the system has them. Its content is
     * undefined; the system commits the pages when they are touched.
     *
     * @throws OutOfMemoryError if the system has not enough memory
     */
    public static HostMemory reserve(int bytes) {
        long size = Math.ceilDiv((long) bytes, HUGE_PAGE) * HUGE_PAGE;
        Arena arena = Arena.ofShared();
        MemorySegment owned = own(NativeCall.call(ALIGNED_ALLOC, HUGE_PAGE, size), size, arena);
        MemoryAdvice.give(owned, MemoryAdvice.HUGE_PAGE);
        return new HostMemory(arena, owned.asSlice(0, bytes).asByteBuffer());
    }

    /** Passes memory of the C library to an arena, which frees it. */
    @SuppressWarnings("restricted")
    private static MemorySegment own(long address, long size, Arena arena) {
        if (address == 0) {
            arena.close();
            throw new OutOfMemoryError("the system cannot allocate " + size + " more bytes");
        }
        return MemorySegment.ofAddress(address).reinterpret(size, arena, HostMemory::free);
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
