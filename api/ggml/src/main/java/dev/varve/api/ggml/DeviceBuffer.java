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

    /** Smaller buffers are written at once. */
    private static final long MIN_DROPPED_BYTES = 1 << 20;

    /** The largest usual page: the kernel would round the end of a range up to whole pages. */
    private static final long PAGE = 64 << 10;

    private final BufferPtr pointer;
    private final long size;
    private final boolean takesTensors;
    private final boolean dropsPages;
    private final Runnable released;
    private volatile boolean closed;

    /**
     * Creates a buffer whose memory ggml allocated from {@code type}; {@code takesTensors} is false
     * if ggml itself has placed all tensors.
     */
    DeviceBuffer(BufferPtr pointer, boolean takesTensors, BufferType type) {
        this(pointer, takesTensors, type.isProcessMemory(), () -> {});
    }

    /** Creates a buffer in mapped memory; {@code released} runs once after it was freed. */
    DeviceBuffer(BufferPtr pointer, Runnable released) {
        this(pointer, true, false, released);
    }

    private DeviceBuffer(
            BufferPtr pointer, boolean takesTensors, boolean dropsPages, Runnable released) {
        this.pointer = pointer;
        this.takesTensors = takesTensors;
        this.dropsPages = dropsPages;
        this.released = released;
        size = BackendApi.bufferGetSize(pointer);
    }

    /** Size in bytes. */
    public long size() {
        return size;
    }

    /**
     * Sets all bytes to zero. In memory of this process whole pages are dropped instead of written:
     * the kernel provides zeros when they are used, so a large cache takes no time and no memory
     * until then.
     */
    public void clear() {
        BufferPtr buffer = pointer();
        if (!dropsPages || size < MIN_DROPPED_BYTES || !dropPages(buffer)) {
            BackendApi.bufferClear(buffer, (byte) 0);
        }
    }

    /** Returns false if the kernel refuses, for example because the memory is locked. */
    @SuppressWarnings("restricted")
    private boolean dropPages(BufferPtr buffer) {
        MemorySegment bytes = BackendApi.bufferGetBase(buffer).reinterpret(size);
        long first = -bytes.address() & (PAGE - 1);
        long end = size - (bytes.address() + size & (PAGE - 1));
        if (!MemoryAdvice.give(bytes.asSlice(first, end - first), MemoryAdvice.DONT_NEED)) {
            return false;
        }
        bytes.asSlice(0, first).fill((byte) 0);
        bytes.asSlice(end).fill((byte) 0);
        return true;
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
