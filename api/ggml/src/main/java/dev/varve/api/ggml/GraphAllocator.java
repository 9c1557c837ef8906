package dev.varve.api.ggml;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.AllocatorPtr;

/**
 * Memory for the intermediate results of graphs on one device ({@code ggml_gallocr}). A graph is
 * valid until another one is allocated here. Owned by the caller, for one thread.
 */
public final class GraphAllocator implements AutoCloseable {
    private final BufferType type;
    private final AllocatorPtr pointer;
    private boolean closed;

    /** Creates an empty allocator. */
    public GraphAllocator(BufferType type) {
        this.type = type;
        pointer = BackendApi.gallocrNew(type.pointer());
    }

    /** Plans a graph and allocates the memory that it needs. */
    public void reserve(Graph graph) {
        requireMemory(BackendApi.gallocrReserve(open(), graph.pointer()));
    }

    /** Assigns memory to the tensors of a graph. */
    public void allocate(Graph graph) {
        requireMemory(BackendApi.gallocrAllocGraph(open(), graph.pointer()));
    }

    /** Allocated bytes. */
    public long bufferBytes() {
        return BackendApi.gallocrGetBufferSize(open(), 0);
    }

    private void requireMemory(boolean success) {
        if (!success) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    type.name()
                            + ": no memory for the compute buffer of a graph; "
                            + bufferBytes()
                            + " bytes are held");
        }
    }

    private AllocatorPtr open() {
        if (closed) {
            throw new IllegalStateException("the graph allocator is closed");
        }
        return pointer;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            BackendApi.gallocrFree(pointer);
        }
    }
}
