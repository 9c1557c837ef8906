package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.varve.api.ggml.Pointer.AllocatorPtr;
import dev.varve.api.ggml.Pointer.BackendPtr;
import dev.varve.api.ggml.Pointer.BufferPtr;
import dev.varve.api.ggml.Pointer.BufferTypePtr;
import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.DevicePtr;
import dev.varve.api.ggml.Pointer.GraphPtr;
import dev.varve.api.ggml.Pointer.RegistryPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;
import dev.varve.api.ggml.Pointer.ThreadPoolPtr;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/**
 * A C type of the LP64 model, as a parameter or a result of a function.
 *
 * @param layout how it is passed
 * @param pointer how Java wraps it, if it has a type of its own in {@link Pointer}
 */
record CType(MemoryLayout layout, Optional<Wrapper> pointer) {
    /**
     * How a pointer becomes a record and is read from it.
     *
     * @param wrap {@code (MemorySegment) -> P}
     * @param unwrap {@code (P) -> MemorySegment}
     */
    record Wrapper(MethodHandle wrap, MethodHandle unwrap) {}

    static final CType C_INT = plain(JAVA_INT);
    static final CType C_SIZE_T = plain(JAVA_LONG);
    static final CType C_INT64 = plain(JAVA_LONG);
    static final CType C_UINT8 = plain(JAVA_BYTE);
    static final CType C_FLOAT = plain(JAVA_FLOAT);
    static final CType C_BOOL = plain(JAVA_BOOLEAN);

    /** Text, memory, a function, or a struct that only one place looks into. */
    static final CType C_POINTER = plain(ADDRESS);

    static final CType C_CONTEXT = pointer(ContextPtr.class);
    static final CType C_TENSOR = pointer(TensorPtr.class);
    static final CType C_GRAPH = pointer(GraphPtr.class);
    static final CType C_ALLOCATOR = pointer(AllocatorPtr.class);
    static final CType C_REGISTRY = pointer(RegistryPtr.class);
    static final CType C_DEVICE = pointer(DevicePtr.class);
    static final CType C_BACKEND = pointer(BackendPtr.class);
    static final CType C_BUFFER_TYPE = pointer(BufferTypePtr.class);
    static final CType C_BUFFER = pointer(BufferPtr.class);
    static final CType C_THREAD_POOL = pointer(ThreadPoolPtr.class);

    /** A struct that is passed by value. */
    static CType struct(StructLayout layout) {
        return plain(layout);
    }

    private static CType plain(MemoryLayout layout) {
        return new CType(layout, Optional.empty());
    }

    private static CType pointer(Class<? extends Pointer> type) {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType constructor = MethodType.methodType(void.class, MemorySegment.class);
            MethodType accessor = MethodType.methodType(MemorySegment.class);
            return new CType(
                    ADDRESS,
                    Optional.of(
                            new Wrapper(
                                    lookup.findConstructor(type, constructor),
                                    lookup.findVirtual(type, "address", accessor))));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(type + " is a record of one address", e);
        }
    }
}
