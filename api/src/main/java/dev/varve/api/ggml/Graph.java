package dev.varve.api.ggml;

import java.lang.foreign.MemorySegment;

/** Operators in the order of execution ({@code ggml_cgraph}). Lives as long as its context. */
public final class Graph {
    private final GgmlContext context;
    private final MemorySegment pointer;
    private final int maxNodes;

    Graph(GgmlContext context, MemorySegment pointer, int maxNodes) {
        this.context = context;
        this.pointer = pointer;
        this.maxNodes = maxNodes;
    }

    /**
     * Appends a tensor and all of its ancestors that are not in the graph yet.
     *
     * @throws IllegalStateException if the operators recorded in the context, or the tensors
     *     without operator that they use, may not fit; ggml would end the process
     */
    public void expand(Tensor tensor) {
        MemorySegment operand = context.use(tensor);
        // What the graph would take is known to ggml only; what the context made is an upper bound
        // of it.
        if (context.operators() > maxNodes || context.leaves() > maxNodes) {
            throw new IllegalStateException(
                    "a graph of "
                            + maxNodes
                            + " nodes cannot take the "
                            + context.operators()
                            + " operators and "
                            + context.leaves()
                            + " other tensors of its context");
        }
        CoreApi.buildForwardExpand(pointer(), operand);
    }

    /** Number of operators. */
    public int nodes() {
        return CoreApi.graphNNodes(pointer());
    }

    /** Most operators. */
    public int maxNodes() {
        return maxNodes;
    }

    MemorySegment pointer() {
        context.requireOpen();
        return pointer;
    }
}
