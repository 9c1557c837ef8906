package dev.varve.api.ggml;

import java.lang.foreign.MemorySegment;

/**
 * Memory of a device ({@code ggml_backend_buffer}). Owned by who allocated it; closing twice is
 * allowed.
 */
public final class DeviceBuffer implements AutoCloseable {
    private static final int USAGE_WEIGHTS = 1;

    private final MemorySegment pointer;
    private final long size;
    private boolean closed;

    DeviceBuffer(MemorySegment pointer) {
        this.pointer = pointer;
        size = BackendApi.bufferGetSize(pointer);
    }

    /** Bytes. */
    public long size() {
        return size;
    }

    /** Sets all bytes to zero. */
    public void clear() {
        BackendApi.bufferClear(open(), (byte) 0);
    }

    /** Tells ggml that the buffer holds weights, which repacking and scheduling look at. */
    public void markWeights() {
        BackendApi.bufferSetUsage(open(), USAGE_WEIGHTS);
    }

    /**
     * Puts a tensor that has no data yet at a byte offset.
     *
     * @throws IllegalArgumentException if the offset is not aligned as the memory demands, or the
     *     tensor, with the padding that the device adds, leaves the buffer
     */
    public void place(Tensor tensor, long offset) {
        if (tensor.isPlaced()) {
            throw new IllegalStateException(tensor + " has a place already");
        }
        long needed = BackendApi.bufferGetAllocSize(open(), tensor.pointer());
        if (offset < 0 || needed > size || offset > size - needed) {
            throw new IllegalArgumentException(
                    tensor + " at byte " + offset + " leaves the buffer of " + size);
        }
        long address = BackendApi.bufferGetBase(open()).address() + offset;
        long alignment = BackendApi.bufferGetAlignment(open());
        if (address % alignment != 0) {
            throw new IllegalArgumentException(
                    tensor + " at byte " + offset + " is not aligned to " + alignment);
        }
        int status =
                BackendApi.tensorAlloc(pointer, tensor.pointer(), MemorySegment.ofAddress(address));
        if (status != 0) {
            throw new IllegalStateException("placing " + tensor + " failed with status " + status);
        }
    }

    MemorySegment pointer() {
        return open();
    }

    private MemorySegment open() {
        if (closed) {
            throw new IllegalStateException("the buffer is closed");
        }
        return pointer;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            BackendApi.bufferFree(pointer);
        }
    }
}
