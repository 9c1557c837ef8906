package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** C types of the LP64 model and the making of method handles. */
final class Native {
    static final ValueLayout.OfInt C_INT = JAVA_INT;
    static final ValueLayout.OfLong C_SIZE_T = JAVA_LONG;
    static final ValueLayout.OfLong C_INT64 = JAVA_LONG;
    static final ValueLayout.OfFloat C_FLOAT = JAVA_FLOAT;
    static final ValueLayout.OfBoolean C_BOOL = JAVA_BOOLEAN;
    static final ValueLayout C_POINTER = ADDRESS;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option[] PLAIN = {};

    private static final Linker.Option[] LEAF = {Linker.Option.critical(false)};

    private Native() {}

    /** A call that may take long, log or call back. */
    @SuppressWarnings("restricted")
    static MethodHandle bind(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(GgmlLibrary.symbol(name), descriptor, PLAIN);
    }

    /**
     * A call of nanoseconds that never calls back, such as reading a field. Not for what may log or
     * assert: an upcall from within ends the process without the message.
     */
    @SuppressWarnings("restricted")
    static MethodHandle bindLeaf(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(GgmlLibrary.symbol(name), descriptor, LEAF);
    }

    /** A function that the library handed out as a pointer. */
    @SuppressWarnings("restricted")
    static MethodHandle bindPointer(MemorySegment function, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(function, descriptor, PLAIN);
    }

    /** A function of the C library. */
    @SuppressWarnings("restricted")
    static MethodHandle bindSystem(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup()
                        .find(name)
                        .orElseThrow(
                                () ->
                                        GgmlLibrary.unavailable(
                                                "the C library has no function " + name, null)),
                descriptor,
                PLAIN);
    }

    static Linker linker() {
        return LINKER;
    }

    static FunctionDescriptor returns(MemoryLayout result, MemoryLayout... arguments) {
        return FunctionDescriptor.of(result, arguments);
    }

    static FunctionDescriptor returnsNothing(MemoryLayout... arguments) {
        return FunctionDescriptor.ofVoid(arguments);
    }

    /** What a checked exception from a downcall means: nothing, since there is none. */
    static RuntimeException sneaky(Throwable e) {
        if (e instanceof RuntimeException unchecked) {
            return unchecked;
        }
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a downcall throws no checked exception", e);
    }

    /** The whole address space as one segment. */
    @SuppressWarnings("restricted")
    static MemorySegment allMemory() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    static boolean isNull(MemorySegment pointer) {
        return pointer.address() == 0;
    }

    @SuppressWarnings("restricted")
    static String string(MemorySegment pointer) {
        return isNull(pointer) ? "" : pointer.reinterpret(4096).getString(0);
    }
}
