package dev.varve.api.model;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;

import java.util.Optional;

/**
 * Layers that some encoders have after the pooling: dense projections of vectors, and a classifier
 * for scores. The tensors have the same names in all files.
 *
 * @param width elements of a pooled row
 * @param dense width of the projections {@code dense_2} and {@code dense_3}, one after the other;
 *     empty for none
 * @param hidden outputs of the classifier's first matrix {@code cls}; empty for none
 * @param normed whether the classifier is that of ModernBERT: GELU instead of tanh, and a norm
 * @param outputs outputs of the classifier's last matrix {@code cls.output}; empty for none
 * @param epsilon of the classifier's norm
 * @param softmax whether the score is the share of the first output among all
 */
public record EncoderHead(
        int width,
        Optional<Integer> dense,
        Optional<Integer> hidden,
        boolean normed,
        Optional<Integer> outputs,
        float epsilon,
        boolean softmax) {
    private static final String INNER = "dense_2";
    private static final String OUTER = "dense_3";
    private static final String HIDDEN = "cls";
    private static final String NORM = "cls.norm";
    private static final String OUTPUT = "cls.output";
    private static final String WEIGHT = ".weight";

    /** A head that changes nothing. */
    public static EncoderHead none() {
        return new EncoderHead(
                0, Optional.empty(), Optional.empty(), false, Optional.empty(), 0, false);
    }

    /**
     * Reads the head of a file.
     *
     * @param width elements of a pooled row
     * @param epsilon of a norm in the head
     */
    public static EncoderHead of(GgufFile file, int width, float epsilon) {
        return new EncoderHead(
                width,
                outputs(file, INNER),
                outputs(file, HIDDEN),
                file.tensor(NORM + WEIGHT).isPresent(),
                outputs(file, OUTPUT),
                epsilon,
                false);
    }

    private static Optional<Integer> outputs(GgufFile file, String name) {
        return file.tensor(name + WEIGHT).map(EncoderHead::rows);
    }

    private static int rows(GgufTensor tensor) {
        return Math.toIntExact(tensor.ne(1));
    }

    /**
     * Returns a copy whose score is a share: softmax over the outputs, of which the first counts.
     */
    public EncoderHead asShare() {
        return new EncoderHead(width, dense, hidden, normed, outputs, epsilon, true);
    }

    /** Whether there is a classifier, which gives scores. */
    public boolean ranks() {
        return hidden.isPresent() || outputs.isPresent();
    }

    /** Selects the weights. */
    public void select(WeightSelector weights) {
        if (dense.isPresent()) {
            weights.matrix(INNER, width, dense.get());
            weights.matrix(OUTER, dense.get(), width);
        }
        if (hidden.isPresent()) {
            weights.matrix(HIDDEN, width, hidden.get());
        }
        if (normed) {
            weights.vector(NORM + WEIGHT, width);
            weights.addIfPresent(NORM + ".bias", TensorUse.ELEMENTWISE, width);
        }
        if (outputs.isPresent()) {
            weights.matrix(OUTPUT, hidden.orElse(width), outputs.get());
        }
    }

    /**
     * Records the projections of vectors.
     *
     * @param rows {@code F32 [width, N]}
     * @return the same shape
     */
    public Tensor project(EncoderGraph graph, Tensor rows) {
        return dense.isPresent() ? graph.matmul(OUTER, graph.matmul(INNER, rows)) : rows;
    }

    /**
     * Records the classifier.
     *
     * @param rows {@code F32 [width, N]}
     * @return {@code F32 [outputs, N]}, of which the first is the score
     */
    public Tensor classify(EncoderGraph graph, Tensor rows) {
        Tensor inner = hidden.isPresent() ? activated(graph, graph.matmul(HIDDEN, rows)) : rows;
        if (outputs.isEmpty()) {
            return inner;
        }
        Tensor scores = graph.matmul(OUTPUT, inner);
        return softmax ? graph.ops().softMax(scores) : scores;
    }

    private Tensor activated(EncoderGraph graph, Tensor inner) {
        return normed
                ? graph.layerNorm(graph.ops().gelu(inner), NORM, epsilon)
                : graph.ops().tanh(inner);
    }
}
