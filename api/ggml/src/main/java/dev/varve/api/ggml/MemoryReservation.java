package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.returns;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Reserved addresses that use memory only where they are written to. Linux only. */
final class MemoryReservation {
    private static final int PROT_READ_WRITE = 1 | 2;

    /** {@code MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE} */
    private static final int FLAGS = 0x2 | 0x20 | 0x4000;

    /**
     * {@code void * mmap(void * at, size_t length, int protection, int flags, int fd, off_t at)}
     */
    private static final MethodHandle MMAP =
            Native.bindSystem(
                    "mmap", returns(C_POINTER, C_POINTER, C_SIZE_T, C_INT, C_INT, C_INT, C_INT64));

    /** {@code int munmap(void * address, size_t length)} */
    private static final MethodHandle MUNMAP =
            Native.bindSystem("munmap", returns(C_INT, C_POINTER, C_SIZE_T));

    private MemoryReservation() {}

    /**
     * Reserves {@code bytes} of zeros, aligned to a page, until the arena is closed.
     *
     * @throws IllegalStateException if the system refuses
     */
    @SuppressWarnings("restricted")
    static MemorySegment reserve(long bytes, Arena arena) {
        if (bytes == 0) {
            return MemorySegment.NULL;
        }
        MemorySegment address =
                MemorySegment.ofAddress(
                        NativeCall.call(MMAP, 0, bytes, PROT_READ_WRITE, FLAGS, -1, 0));
        if (address.address() == -1) {
            throw new IllegalStateException("mmap could not reserve " + bytes + " bytes");
        }
        return address.reinterpret(bytes, arena, MemoryReservation::release);
    }

    private static void release(MemorySegment pages) {
        NativeCall.call(MUNMAP, pages.address(), pages.byteSize());
    }
}
