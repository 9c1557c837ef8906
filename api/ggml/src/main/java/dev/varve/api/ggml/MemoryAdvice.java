package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.returns;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/** Advice to the kernel about memory of this process, which it may refuse. */
final class MemoryAdvice {
    /** Read a range ahead. */
    static final int WILL_NEED = 3;

    /** Drop the pages of a range. */
    static final int DONT_NEED = 4;

    /** Back a range by huge pages once it is touched. */
    static final int HUGE_PAGE = 14;

    /** Back a range by small pages only. */
    static final int NO_HUGE_PAGE = 15;

    /** {@code int madvise(void * address, size_t length, int advice)} */
    private static final MethodHandle MADVISE =
            Native.bindSystem("madvise", returns(C_INT, C_POINTER, C_SIZE_T, C_INT));

    private MemoryAdvice() {}

    /**
     * Advises about a range that begins at a page boundary.
     *
     * @return false if the kernel refuses
     */
    static boolean give(MemorySegment pages, int advice) {
        boolean isAccepted =
                (int) NativeCall.call(MADVISE, NativeCall.pointer(pages), pages.byteSize(), advice)
                        == 0;
        Reference.reachabilityFence(pages);
        return isAccepted;
    }
}
