package dev.varve.api.ggml;

import dev.varve.api.VarveException;

import java.lang.foreign.MemorySegment;

/**
 * A kind of memory that a device offers ({@code ggml_backend_buffer_type}). Lives as long as the
 * process.
 */
public final class BufferType {
    private final MemorySegment pointer;
    private final String name;

    BufferType(MemorySegment pointer) {
        this.pointer = pointer;
        name = Native.string(BackendApi.buftName(pointer));
    }

    /** Name, such as {@code CPU} or {@code CPU_REPACK}. */
    public String name() {
        return name;
    }

    /** Alignment of tensors in bytes. */
    public long alignment() {
        return BackendApi.buftGetAlignment(pointer);
    }

    /** Most bytes of one buffer. */
    public long maxSize() {
        return BackendApi.buftGetMaxSize(pointer);
    }

    /** Whether the host reads and writes the memory directly. */
    public boolean isHost() {
        return BackendApi.buftIsHost(pointer);
    }

    /**
     * Allocates a buffer.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if the device has no room
     */
    public DeviceBuffer allocate(long bytes) {
        MemorySegment buffer = BackendApi.buftAllocBuffer(pointer, bytes);
        if (Native.isNull(buffer)) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    name + ": cannot allocate " + bytes + " bytes");
        }
        return new DeviceBuffer(buffer);
    }

    MemorySegment pointer() {
        return pointer;
    }

    @Override
    public String toString() {
        return name;
    }
}
