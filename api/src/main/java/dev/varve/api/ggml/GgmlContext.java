package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_BOOL;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.returns;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Metadata of tensors and graphs ({@code ggml_context}, never with data). Holds a fixed number of
 * tensors, counted here because ggml ends the process when it runs out. Owned by the caller, for
 * one thread.
 */
public final class GgmlContext implements AutoCloseable {
    private static final StructLayout INIT_PARAMS =
            MemoryLayout.structLayout(
                    C_SIZE_T.withName("mem_size"),
                    C_POINTER.withName("mem_buffer"),
                    C_BOOL.withName("no_alloc"),
                    MemoryLayout.paddingLayout(7));

    /** {@code struct ggml_context * ggml_init(struct ggml_init_params params)} */
    private static final MethodHandle INIT = bind("ggml_init", returns(C_POINTER, INIT_PARAMS));

    private static final int DIMENSIONS = 4;

    private final MemorySegment pointer;
    private final int maxTensors;
    private final int maxGraphNodes;
    private final Ops ops;
    private int tensors;
    private boolean graphMade;
    private boolean closed;

    private GgmlContext(MemorySegment pointer, int maxTensors, int maxGraphNodes) {
        this.pointer = pointer;
        this.maxTensors = maxTensors;
        this.maxGraphNodes = maxGraphNodes;
        ops = new Ops(this);
    }

    /**
     * Makes a context.
     *
     * @param maxTensors most tensors, every view counted
     * @param maxGraphNodes most nodes of its one graph; 0 for no graph
     */
    public static GgmlContext open(int maxTensors, int maxGraphNodes) {
        if (maxTensors < 1 || maxGraphNodes < 0) {
            throw new IllegalArgumentException(
                    "context for " + maxTensors + " tensors, " + maxGraphNodes + " nodes");
        }
        long bytes =
                maxTensors * CoreApi.tensorOverhead()
                        + (maxGraphNodes > 0
                                ? CoreApi.graphOverheadCustom(maxGraphNodes, false)
                                : 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(INIT_PARAMS);
            params.set(C_SIZE_T, 0, bytes);
            params.set(C_BOOL, 16, true);
            MemorySegment pointer = (MemorySegment) INIT.invokeExact(params);
            if (Native.isNull(pointer)) {
                throw new OutOfMemoryError(
                        "ggml cannot allocate " + bytes + " bytes for tensor metadata");
            }
            return new GgmlContext(pointer, maxTensors, maxGraphNodes);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** Declares a tensor without data; {@code shape} has 1 to 4 extents, the fastest first. */
    public Tensor newTensor(GgmlType type, long... shape) {
        if (shape.length < 1 || shape.length > DIMENSIONS) {
            throw new IllegalArgumentException(
                    "a tensor has 1 to 4 dimensions, got " + shape.length);
        }
        long[] ne = {1, 1, 1, 1};
        long bytes = type.typeSize();
        for (int i = 0; i < shape.length; i++) {
            if (shape[i] < 1) {
                throw new IllegalArgumentException(
                        "tensor extent " + i + " must be positive, got " + shape[i]);
            }
            ne[i] = shape[i];
            bytes = Math.multiplyExact(bytes, shape[i]);
        }
        type.rowBytes(ne[0]);
        return adopt(CoreApi.newTensor4d(count(), type.id(), ne[0], ne[1], ne[2], ne[3]));
    }

    /** Makes the context's graph. */
    public Graph newGraph(int maxNodes) {
        if (maxNodes < 1 || maxNodes > maxGraphNodes || graphMade) {
            throw new IllegalStateException(
                    "the context has room for one graph of " + maxGraphNodes + " nodes");
        }
        graphMade = true;
        return new Graph(CoreApi.newGraphCustom(open(), maxNodes, false), maxNodes, this);
    }

    /** Number of tensors so far. */
    int tensors() {
        return tensors;
    }

    /** Operators whose results belong to this context. */
    public Ops ops() {
        return ops;
    }

    /** Allocates all tensors that have no place yet in one buffer; empty if there are none. */
    public Optional<DeviceBuffer> allocate(BufferType type) {
        MemorySegment buffer = BackendApi.allocCtxTensorsFromBuft(open(), type.pointer());
        return Native.isNull(buffer) ? Optional.empty() : Optional.of(new DeviceBuffer(buffer));
    }

    /** Counts one more tensor; returns the context pointer. */
    MemorySegment count() {
        if (tensors == maxTensors) {
            throw new IllegalStateException("the context is full: " + maxTensors + " tensors");
        }
        tensors++;
        return open();
    }

    Tensor adopt(MemorySegment tensor) {
        return new Tensor(tensor);
    }

    private MemorySegment open() {
        if (closed) {
            throw new IllegalStateException("the context is closed");
        }
        return pointer;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            CoreApi.free(pointer);
        }
    }
}
