package dev.varve.api.ggml;

import dev.varve.api.ggml.Pointer.BufferPtr;
import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Metadata of tensors and graphs ({@code ggml_context}, never with data). Holds a fixed number of
 * tensors, counted here because ggml ends the process when it runs out. Owned by the caller, for
 * one thread.
 */
public final class GgmlContext implements AutoCloseable {
    private static final int DIMENSIONS = 4;

    /**
     * Leaves headroom for ggml's unchecked additions, and for counting elements of less than a
     * byte.
     */
    private static final long MAX_BYTES = Long.MAX_VALUE / 32;

    private final ContextPtr pointer;
    private final int maxTensors;
    private final int maxGraphNodes;
    private final long overheadBytes;
    private final Ops ops;
    private final List<Tensor> declared = new ArrayList<>();
    private int operators;
    private int leaves;
    private final Set<Long> threadBound = new HashSet<>();
    private boolean graphMade;
    private boolean closed;

    private GgmlContext(ContextPtr pointer, int maxTensors, int maxGraphNodes, long overheadBytes) {
        this.pointer = pointer;
        this.maxTensors = maxTensors;
        this.maxGraphNodes = maxGraphNodes;
        this.overheadBytes = overheadBytes;
        ops = new Ops(this);
    }

    /**
     * Creates a context.
     *
     * @param maxTensors maximum number of tensors, every view counted
     * @param maxGraphNodes maximum number of nodes of its one graph; 0 for no graph
     */
    public static GgmlContext open(int maxTensors, int maxGraphNodes) {
        if (maxTensors < 1 || maxGraphNodes < 0) {
            throw new IllegalArgumentException(
                    "a context needs at least 1 tensor and no negative number of nodes, got "
                            + maxTensors
                            + " tensors, "
                            + maxGraphNodes
                            + " nodes");
        }
        long bytes =
                maxTensors * CoreApi.tensorOverhead()
                        + (maxGraphNodes > 0
                                ? CoreApi.graphOverheadCustom(maxGraphNodes, false)
                                : 0);
        ContextPtr pointer = CoreApi.init(bytes);
        if (pointer.isNull()) {
            throw new OutOfMemoryError(
                    "ggml cannot allocate " + bytes + " bytes for tensor metadata");
        }
        return new GgmlContext(pointer, maxTensors, maxGraphNodes, bytes);
    }

    /**
     * Declares a tensor without data.
     *
     * @param shape 1 to 4 extents, the fastest first; whole blocks of the type
     */
    public Tensor newTensor(GgmlType type, long... shape) {
        if (shape.length < 1 || shape.length > DIMENSIONS) {
            throw new IllegalArgumentException(
                    "a tensor must have 1 to 4 dimensions, got " + shape.length);
        }
        long[] ne = {1, 1, 1, 1};
        System.arraycopy(shape, 0, ne, 0, shape.length);
        requireSize(type, ne);
        requireRoom(1);
        Tensor tensor =
                new Tensor(
                        this,
                        CoreApi.newTensor4d(pointer, type.id(), ne[0], ne[1], ne[2], ne[3]),
                        true);
        declared.add(tensor);
        return tensor;
    }

    /**
     * Checks that the extents are positive and whole blocks, and that their bytes fit into a long,
     * alignment included.
     */
    static void requireSize(GgmlType type, long... ne) {
        try {
            long bytes = type.rowBytes(ne[0]);
            for (int i = 0; i < ne.length; i++) {
                if (ne[i] < 1) {
                    throw new IllegalArgumentException(
                            "tensor extent " + i + " must be positive, got " + ne[i]);
                }
            }
            for (int i = 1; i < ne.length; i++) {
                bytes = Math.multiplyExact(bytes, ne[i]);
            }
            if (bytes > MAX_BYTES) {
                throw new ArithmeticException("more than " + MAX_BYTES + " bytes");
            }
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "a tensor " + type + " " + Arrays.toString(ne) + " is too large", e);
        }
    }

    /** Creates the context's graph. */
    public Graph newGraph(int maxNodes) {
        requireOpen();
        if (maxNodes < 1 || maxNodes > maxGraphNodes || graphMade) {
            throw new IllegalStateException(
                    "the context holds only one graph of " + maxGraphNodes + " nodes");
        }
        graphMade = true;
        return new Graph(this, CoreApi.newGraphCustom(pointer, maxNodes, false), maxNodes);
    }

    /** Operators whose results belong to this context. */
    public Ops ops() {
        return ops;
    }

    /** Bytes of host memory that the metadata occupies. */
    public long overheadBytes() {
        return overheadBytes;
    }

    /**
     * Allocates all tensors that are not placed yet in one buffer; empty if there are none.
     *
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if the device has not enough free
     *     memory
     */
    public Optional<DeviceBuffer> allocate(BufferType type) {
        requireOpen();
        List<Tensor> unplaced = declared.stream().filter(tensor -> !tensor.isPlaced()).toList();
        BufferPtr buffer = BackendApi.allocCtxTensorsFromBuft(pointer, type.pointer());
        if (!buffer.isNull()) {
            DeviceBuffer owner = new DeviceBuffer(buffer, false, type);
            unplaced.forEach(tensor -> tensor.livesIn(owner));
            return Optional.of(owner);
        }
        if (unplaced.isEmpty()) {
            return Optional.empty();
        }
        throw type.outOfMemory(unplaced.stream().mapToLong(type::allocationSize).sum());
    }

    /** Counts the tensors of one more operator; returns the context pointer. */
    ContextPtr count(int tensors) {
        requireRoom(tensors);
        operators += tensors;
        return pointer;
    }

    /**
     * Returns the pointer of an operand. Graphs hold operators of one context; tensors without
     * operator may come from others.
     */
    TensorPtr use(Tensor operand) {
        if (operand.isFirstUseIn(this)) {
            leaves++;
        }
        return operand.pointer();
    }

    /** The tensors without operator. */
    List<Tensor> declared() {
        return declared;
    }

    int operators() {
        return operators;
    }

    /** Records that the number of threads changes the last bits of this operator. */
    void dependsOnThreads(Tensor operator) {
        threadBound.add(operator.pointer().address().address());
    }

    /** Addresses of the operators whose last bits depend on the number of threads. */
    Set<Long> threadBound() {
        return threadBound;
    }

    int leaves() {
        return leaves;
    }

    boolean isClosed() {
        return closed;
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the context is closed");
        }
    }

    private void requireRoom(int tensors) {
        requireOpen();
        if (declared.size() + operators + tensors > maxTensors) {
            throw new IllegalStateException("the context is full: " + maxTensors + " tensors");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            CoreApi.free(pointer);
        }
    }
}
