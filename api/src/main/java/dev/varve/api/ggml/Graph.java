package dev.varve.api.ggml;

import java.lang.foreign.MemorySegment;

/** Operators in the order of execution ({@code ggml_cgraph}). Lives as long as its context. */
public final class Graph {
    private final MemorySegment pointer;
    private final int maxNodes;
    private final GgmlContext context;

    Graph(MemorySegment pointer, int maxNodes, GgmlContext context) {
        this.pointer = pointer;
        this.maxNodes = maxNodes;
        this.context = context;
    }

    /**
     * Appends a tensor and all of its ancestors that are not in the graph yet.
     *
     * @throws IllegalStateException if the context holds more tensors than the graph nodes, so that
     *     it might overflow
     */
    public void expand(Tensor tensor) {
        if (context.tensors() > maxNodes) {
            throw new IllegalStateException(
                    "a graph of "
                            + maxNodes
                            + " nodes cannot take the "
                            + context.tensors()
                            + " tensors of its context");
        }
        CoreApi.buildForwardExpand(pointer, tensor.pointer());
    }

    /** Number of operators. */
    public int nodes() {
        return CoreApi.graphNNodes(pointer);
    }

    /** Most operators. */
    public int maxNodes() {
        return maxNodes;
    }

    MemorySegment pointer() {
        return pointer;
    }
}
