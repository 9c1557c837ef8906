package dev.varve.api.ggml;

import java.lang.foreign.MemorySegment;

/**
 * Pointers of ggml, with one type for each C type, so that none can be passed where another one is
 * expected. They own nothing: the class that holds a pointer documents who frees its target.
 */
sealed interface Pointer {
    /** The address; a reader gives the segment its size first. */
    MemorySegment address();

    /** The address as an argument of a function. */
    default long raw() {
        return address().address();
    }

    /** Returns whether this is C's {@code NULL}. */
    default boolean isNull() {
        return Native.isNull(address());
    }

    /** Returns whether both are the same address; segments also differ by size and scope. */
    default boolean isSame(Pointer other) {
        return address().address() == other.address().address();
    }

    /** {@code struct ggml_context *}. */
    record ContextPtr(MemorySegment address) implements Pointer {}

    /** {@code struct ggml_tensor *}. */
    record TensorPtr(MemorySegment address) implements Pointer {
        /** Null pointer for an omitted operand. */
        static final TensorPtr NULL = new TensorPtr(MemorySegment.NULL);
    }

    /** {@code struct ggml_cgraph *}. */
    record GraphPtr(MemorySegment address) implements Pointer {}

    /** {@code ggml_gallocr_t}. */
    record AllocatorPtr(MemorySegment address) implements Pointer {}

    /** {@code ggml_backend_reg_t}. */
    record RegistryPtr(MemorySegment address) implements Pointer {}

    /** {@code ggml_backend_dev_t}. */
    record DevicePtr(MemorySegment address) implements Pointer {}

    /** {@code ggml_backend_t}. */
    record BackendPtr(MemorySegment address) implements Pointer {}

    /** {@code ggml_backend_buffer_type_t}. */
    record BufferTypePtr(MemorySegment address) implements Pointer {}

    /** {@code ggml_backend_buffer_t}. */
    record BufferPtr(MemorySegment address) implements Pointer {
        /** Null pointer for no buffer. */
        static final BufferPtr NULL = new BufferPtr(MemorySegment.NULL);
    }

    /** {@code ggml_threadpool_t}. */
    record ThreadPoolPtr(MemorySegment address) implements Pointer {
        /** Null pointer for no pool. */
        static final ThreadPoolPtr NULL = new ThreadPoolPtr(MemorySegment.NULL);
    }
}
