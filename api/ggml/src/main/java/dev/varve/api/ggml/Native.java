package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** C types of the LP64 model, and the creation and invocation of method handles. */
final class Native {
    static final ValueLayout.OfInt C_INT = JAVA_INT;
    static final ValueLayout.OfLong C_SIZE_T = JAVA_LONG;
    static final ValueLayout.OfLong C_INT64 = JAVA_LONG;
    static final ValueLayout.OfByte C_UINT8 = JAVA_BYTE;
    static final ValueLayout.OfFloat C_FLOAT = JAVA_FLOAT;
    static final ValueLayout.OfBoolean C_BOOL = JAVA_BOOLEAN;
    static final ValueLayout C_POINTER = ADDRESS;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option[] PLAIN = {};

    private static final Linker.Option[] LEAF = {Linker.Option.critical(false)};

    private Native() {}

    /**
     * Binds a function that may take long, log or call back; {@link NativeCall} calls it.
     *
     * @param descriptor its C types, without structs
     */
    static MethodHandle bind(String name, FunctionDescriptor descriptor) {
        return link(GgmlLibrary.symbol(name), CallShape.of(descriptor).descriptor(), PLAIN);
    }

    /**
     * As {@link #bind}, for a function with structs as arguments or result; called with its C
     * types.
     */
    static MethodHandle bindWithStructs(String name, FunctionDescriptor descriptor) {
        return link(GgmlLibrary.symbol(name), descriptor, PLAIN);
    }

    /**
     * Binds a function that takes nanoseconds and never calls back, such as a field getter. Not for
     * a function that may log or assert: an upcall from such a call ends the process without the
     * message.
     */
    static MethodHandle bindLeaf(String name, FunctionDescriptor descriptor) {
        return link(GgmlLibrary.symbol(name), CallShape.of(descriptor).descriptor(), LEAF);
    }

    /** Binds a function that the library returned as a pointer. */
    static MethodHandle bindPointer(MemorySegment function, FunctionDescriptor descriptor) {
        return link(function, CallShape.of(descriptor).descriptor(), PLAIN);
    }

    /** Binds a function of the C library. */
    static MethodHandle bindSystem(String name, FunctionDescriptor descriptor) {
        return link(
                LINKER.defaultLookup()
                        .find(name)
                        .orElseThrow(
                                () ->
                                        GgmlLibrary.unavailable(
                                                "the C library has no function " + name, null)),
                CallShape.of(descriptor).descriptor(),
                PLAIN);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(
            MemorySegment function, FunctionDescriptor descriptor, Linker.Option[] options) {
        return LINKER.downcallHandle(function, descriptor, options);
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

    /** Calls a C function; {@code invokeExact} declares that it may throw anything. */
    @FunctionalInterface
    interface Downcall<T> {
        T invoke() throws Throwable;
    }

    /** Calls a function with structs, with the exceptions of {@link NativeCall}. */
    static <T> T call(Downcall<T> downcall) {
        try {
            return downcall.invoke();
        } catch (Throwable failure) {
            throw NativeCall.unexpected(failure);
        }
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
