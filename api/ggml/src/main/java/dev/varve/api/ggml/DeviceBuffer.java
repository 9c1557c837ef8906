package dev.varve.api.ggml;

import dev.varve.api.ggml.Pointer.BufferPtr;

import java.lang.foreign.MemorySegment;

/**
 * Memory of a device ({@code ggml_backend_buffer}). The caller that allocated it owns it; closing
 * twice is allowed. Tensors placed in it keep their shapes, but lose their data when it is closed.
 */
public final class DeviceBuffer implements AutoCloseable {
    private static final int USAGE_WEIGHTS = 1;

    private static final long HUGE_PAGE = 2 << 20;

    private final BufferPtr pointer;
    private final long size;
    private final boolean takesTensors;
    private final Runnable released;
    private volatile boolean closed;

    /**
     * Creates a buffer that owns its memory; {@code takesTensors} is false if ggml itself has
     * placed all tensors.
     */
    DeviceBuffer(BufferPtr pointer, boolean takesTensors) {
        this(pointer, takesTensors, () -> {});
    }

    /** Does the same; {@code released} runs once after the buffer was freed. */
    DeviceBuffer(BufferPtr pointer, boolean takesTensors, Runnable released) {
        this.pointer = pointer;
        this.takesTensors = takesTensors;
        this.released = released;
        size = BackendApi.bufferGetSize(pointer);
    }

    /** Size in bytes. */
    public long size() {
        return size;
    }

    /** Sets all bytes to zero. */
    public void clear() {
        BackendApi.bufferClear(pointer(), (byte) 0);
    }

    /**
     * Requests huge pages, which reduce TLB misses when weights stream through the caches. Only for
     * a buffer in host memory that has not been written yet. Best effort.
     */
    @SuppressWarnings("restricted")
    public void preferHugePages() {
        long begin = BackendApi.bufferGetBase(pointer()).address();
        long first = Math.ceilDiv(begin, HUGE_PAGE) * HUGE_PAGE;
        long bytes = (begin + size) / HUGE_PAGE * HUGE_PAGE - first;
        if (bytes > 0) {
            MemoryAdvice.give(
                    MemorySegment.ofAddress(first).reinterpret(bytes), MemoryAdvice.HUGE_PAGE);
        }
    }

    /** Marks the buffer as holding weights, which ggml's repacking and scheduling use. */
    public void markWeights() {
        BackendApi.bufferSetUsage(pointer(), USAGE_WEIGHTS);
    }

    /**
     * Places a tensor that has no data yet at a byte offset, which must be a multiple of the
     * memory's alignment.
     *
     * @throws IllegalArgumentException if the tensor would exceed the buffer or is not aligned
     * @throws IllegalStateException if the tensor is already placed, is a view, or the buffer is
     *     closed
     */
    public void place(Tensor tensor, long offset) {
        BufferPtr buffer = pointer();
        if (!takesTensors) {
            throw new IllegalStateException(
                    "the buffer holds the tensors of a context and accepts no others");
        }
        if (tensor.isPlaced() || tensor.isView()) {
            throw new IllegalStateException(tensor + " is already placed");
        }
        long bytes = BackendApi.bufferGetAllocSize(buffer, tensor.pointer());
        if (offset < 0 || bytes > size || offset > size - bytes) {
            throw new IllegalArgumentException(
                    tensor
                            + " at byte "
                            + offset
                            + " needs "
                            + bytes
                            + " bytes and exceeds the buffer of "
                            + size);
        }
        long address = BackendApi.bufferGetBase(buffer).address() + offset;
        long alignment = BackendApi.bufferGetAlignment(buffer);
        if (address % alignment != 0) {
            throw new IllegalArgumentException(
                    tensor + " at byte " + offset + " is not aligned to " + alignment + " bytes");
        }
        int status =
                BackendApi.tensorAlloc(buffer, tensor.pointer(), MemorySegment.ofAddress(address));
        if (status != 0) {
            throw new IllegalStateException("placing " + tensor + " failed with status " + status);
        }
        tensor.livesIn(this);
    }

    boolean isClosed() {
        return closed;
    }

    BufferPtr pointer() {
        if (closed) {
            throw new IllegalStateException("the buffer is closed");
        }
        return pointer;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            BackendApi.bufferFree(pointer);
            released.run();
        }
    }
}
