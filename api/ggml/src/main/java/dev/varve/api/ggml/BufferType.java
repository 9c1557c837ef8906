package dev.varve.api.ggml;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.BufferPtr;
import dev.varve.api.ggml.Pointer.BufferTypePtr;

/**
 * A kind of memory that a device offers ({@code ggml_backend_buffer_type}). Lives as long as the
 * process.
 */
public final class BufferType {
    private final BufferTypePtr pointer;
    private final String name;

    BufferType(BufferTypePtr pointer) {
        this.pointer = pointer;
        name = BackendApi.buftName(pointer);
    }

    /** Name, such as {@code CPU} or {@code CPU_REPACK}. */
    public String name() {
        return name;
    }

    /** Alignment of tensors in bytes. */
    public long alignment() {
        return BackendApi.buftGetAlignment(pointer);
    }

    /** Maximum bytes of one buffer. */
    public long maxSize() {
        return BackendApi.buftGetMaxSize(pointer);
    }

    /** Returns whether the host reads and writes the memory directly. */
    public boolean isHost() {
        return BackendApi.buftIsHost(pointer);
    }

    /**
     * Bytes that a tensor occupies in this memory; some devices need more than {@link
     * Tensor#bytes}.
     */
    public long allocationSize(Tensor tensor) {
        return BackendApi.buftGetAllocSize(pointer, tensor.pointer());
    }

    /**
     * Allocates a buffer.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if the device has not enough free memory
     */
    public DeviceBuffer allocate(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException(
                    "the size of a buffer must not be negative, got " + bytes);
        }
        BufferPtr buffer =
                Long.compareUnsigned(bytes, maxSize()) <= 0
                        ? BackendApi.buftAllocBuffer(pointer, bytes)
                        : BufferPtr.NULL;
        if (buffer.isNull()) {
            throw outOfMemory(bytes);
        }
        return new DeviceBuffer(buffer, true, this);
    }

    /** Returns whether buffers are private memory that this process allocated with malloc. */
    boolean isProcessMemory() {
        return pointer.isSame(BackendApi.cpuBufferType());
    }

    VarveException outOfMemory(long bytes) {
        return new VarveException(
                VarveException.Kind.OUT_OF_MEMORY,
                name
                        + ": cannot allocate "
                        + bytes
                        + " bytes (one buffer holds at most "
                        + Long.toUnsignedString(maxSize())
                        + ")");
    }

    BufferTypePtr pointer() {
        return pointer;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BufferType type && type.pointer.isSame(pointer);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(pointer.address().address());
    }

    @Override
    public String toString() {
        return name;
    }
}
