package dev.varve.api.model;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.ShardGraph.Projection;

import java.util.List;

/**
 * Selects the weights of a shard from a model file, each with the shape that the family expects. A
 * missing tensor or another shape is a {@link dev.varve.api.gguf.ModelFormatException}.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public final class WeightSelector {
    private static final String WEIGHT = ".weight";
    private static final String SCALE = ".scale";
    private static final String BIAS = ".bias";

    private final GgufFile file;
    private final TensorSelection.Builder selection = new TensorSelection.Builder();

    /** Creates a selector without entries. */
    public WeightSelector(GgufFile file) {
        this.file = file;
    }

    /** Name of a layer's tensor. */
    public static String block(int layer, String name) {
        return "blk." + layer + "." + name;
    }

    /** Returns whether the file has a tensor of this whole name. */
    public boolean has(String name) {
        return file.tensor(name).isPresent();
    }

    /** Selects a tensor by its whole name. */
    public void add(String name, TensorUse use, long... shape) {
        GgufTensor tensor = file.requireTensor(name);
        tensor.requireShape(shape);
        selection.add(tensor, use);
    }

    /** Selects a tensor by its whole name, if the file has it. */
    public void addIfPresent(String name, TensorUse use, long... shape) {
        if (has(name)) {
            add(name, use, shape);
        }
    }

    /** Selects a table whose rows are looked up by token id. */
    public void table(String name, long width, long rows) {
        add(name, TensorUse.ROW_LOOKUP, width, rows);
    }

    /** Selects an element-wise operand: norm, bias or scale. */
    public void vector(String name, long elements) {
        add(name, TensorUse.ELEMENTWISE, elements);
    }

    /**
     * Selects a matrix, named without suffix, with the companions that some quantisers and
     * converters write beside it.
     */
    public void matrix(String name, long in, long out) {
        add(name + WEIGHT, TensorUse.MATMUL, in, out);
        addIfPresent(name + SCALE, TensorUse.ELEMENTWISE, 1);
        addIfPresent(name + BIAS, TensorUse.ELEMENTWISE, out);
    }

    /** Selects several projections of one input, or the fused matrix that replaces them. */
    public void projections(long in, String fused, List<Projection> parts) {
        if (has(fused + WEIGHT)) {
            matrix(fused, in, parts.stream().mapToLong(Projection::rows).sum());
        } else {
            parts.forEach(part -> matrix(part.name(), in, part.rows()));
        }
    }

    /** Selects the three matrices of a gated feed-forward. */
    public void feedForward(FeedForwardNames names, long width, long inner) {
        matrix(names.name("gate"), width, inner);
        matrix(names.name("up"), width, inner);
        matrix(names.name("down"), inner, width);
    }

    /** Selects a matrix for each of several heads, named without suffix. */
    public void matrixPerHead(String name, long in, long out, long heads) {
        add(name + WEIGHT, TensorUse.MATMUL, in, out, heads);
    }

    /** Selects the two matrices of a feed-forward without a gate. */
    public void plainFeedForward(FeedForwardNames names, long width, long inner) {
        matrix(names.name("up"), width, inner);
        matrix(names.name("down"), inner, width);
    }

    /** Selects the stacked matrices of a feed-forward without a gate per expert. */
    public void plainExperts(String prefix, long width, long inner, long experts) {
        expertMatrix(prefix + "_up_exps", width, inner, experts);
        expertMatrix(prefix + "_down_exps", inner, width, experts);
    }

    /** Selects the stacked matrices of a gated feed-forward per expert. */
    public void experts(String prefix, long width, long inner, long experts) {
        if (has(prefix + "_gate_up_exps" + WEIGHT)) {
            expertMatrix(prefix + "_gate_up_exps", width, 2 * inner, experts);
        } else {
            expertMatrix(prefix + "_gate_exps", width, inner, experts);
            expertMatrix(prefix + "_up_exps", width, inner, experts);
        }
        expertMatrix(prefix + "_down_exps", inner, width, experts);
    }

    private void expertMatrix(String name, long in, long out, long experts) {
        add(name + WEIGHT, TensorUse.EXPERT_MATMUL, in, out, experts);
        addIfPresent(name + SCALE, TensorUse.ELEMENTWISE, experts);
        addIfPresent(name + BIAS, TensorUse.ELEMENTWISE, out, experts);
    }

    /** Selects the output head, or the embedding table if the head is tied to it. */
    public void head(long width, long vocabulary) {
        matrix(headName(), width, vocabulary);
    }

    /** Name of the output head, without suffix. */
    public String headName() {
        return has("output" + WEIGHT) ? "output" : "token_embd";
    }

    /** Returns the selection so far. */
    public TensorSelection build() {
        return selection.build();
    }
}
