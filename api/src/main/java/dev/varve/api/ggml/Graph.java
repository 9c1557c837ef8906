package dev.varve.api.ggml;

import java.lang.foreign.MemorySegment;

/** Operators in the order of execution ({@code ggml_cgraph}). Lives as long as its context. */
public final class Graph {
    private final MemorySegment pointer;
    private final int maxNodes;

    Graph(MemorySegment pointer, int maxNodes) {
        this.pointer = pointer;
        this.maxNodes = maxNodes;
    }

    /** Appends a tensor and all of its ancestors that are not in the graph yet. */
    public void expand(Tensor tensor) {
        // The context holds no more tensors than the graph nodes, so that this cannot overflow.
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
