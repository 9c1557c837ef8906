package dev.varve.api.ggml;

import dev.varve.api.ggml.Pointer.GraphPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Operators in the order of execution ({@code ggml_cgraph}). Lives as long as its context. */
public final class Graph {
    private final GgmlContext context;
    private final GraphPtr pointer;
    private final int maxNodes;
    private List<Part> parts = List.of();

    Graph(GgmlContext context, GraphPtr pointer, int maxNodes) {
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
        TensorPtr operand = context.use(tensor);
        // Only ggml knows what the graph would add; the count of the context is an upper bound.
        if (context.operators() > maxNodes || context.leaves() > maxNodes) {
            throw new IllegalStateException(
                    "a graph of "
                            + maxNodes
                            + " nodes cannot hold the "
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

    /** An operator of the graph, from 0. */
    Tensor node(int index) {
        Objects.checkIndex(index, nodes());
        return new Tensor(context, CoreApi.graphNode(pointer(), index), false);
    }

    /**
     * Checks every operator against a device.
     *
     * @return the first operator that the device does not support, with its operands and the last
     *     named weight before it; empty if it supports all
     */
    public Optional<String> firstUnsupported(GgmlDevice device) {
        String near = "";
        int count = nodes();
        for (int i = 0; i < count; i++) {
            Tensor node = node(i);
            for (Tensor operand : node.operands()) {
                if (operand.operator() == 0 && operand.name().endsWith(".weight")) {
                    near = operand.name();
                }
            }
            if (!device.supports(node)) {
                return Optional.of(
                        node.describeOperator() + (near.isEmpty() ? "" : ", at or after " + near));
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether the number of threads of a processor may change the last bits of a result:
     * attention of a single query over many cells is summed in one part per thread.
     */
    public boolean dependsOnThreads() {
        return !context.threadBound().isEmpty();
    }

    /**
     * A range of the operators, computed as a graph of its own after the previous part.
     *
     * @param dependsOnThreads whether the number of threads may change the last bits
     */
    public record Part(Graph graph, boolean dependsOnThreads) {}

    /**
     * Splits the operators, in order, into parts that depend on the number of threads and parts
     * that do not.
     */
    public List<Part> parts() {
        if (parts.isEmpty()) {
            parts = List.copyOf(cut());
        }
        return parts;
    }

    /**
     * Returns a range of the operators, to be computed as a graph of its own after the operators
     * before it. It shares the tensors.
     *
     * @param begin index of the first operator
     * @param end index after the last operator
     */
    public Graph range(int begin, int end) {
        if (begin < 0 || begin >= end || end > nodes()) {
            throw new IllegalArgumentException(
                    "expected operators within 0 to "
                            + nodes()
                            + ", found "
                            + begin
                            + " to "
                            + end);
        }
        return new Graph(context, CoreApi.graphView(pointer(), begin, end), maxNodes);
    }

    private List<Part> cut() {
        List<Part> cut = new ArrayList<>();
        int count = nodes();
        int begin = 0;
        for (int end = 1; end <= count; end++) {
            boolean bound = isThreadBound(begin);
            if (end == count || isThreadBound(end) != bound) {
                GraphPtr view = CoreApi.graphView(pointer(), begin, end);
                cut.add(new Part(new Graph(context, view, maxNodes), bound));
                begin = end;
            }
        }
        return cut;
    }

    private boolean isThreadBound(int node) {
        return context.threadBound()
                .contains(CoreApi.graphNode(pointer(), node).address().address());
    }

    /** Maximum number of operators. */
    public int maxNodes() {
        return maxNodes;
    }

    GraphPtr pointer() {
        context.requireOpen();
        return pointer;
    }
}
