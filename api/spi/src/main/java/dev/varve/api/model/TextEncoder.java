package dev.varve.api.model;

import dev.varve.api.ggml.Tensor;

/**
 * A model file that computes vectors or scores of texts, read by its family. Immutable and
 * thread-safe; owns no native memory.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public interface TextEncoder {
    /** Width of a row, size of the vocabulary, and most tokens of a text. */
    ModelShape.Sizes sizes();

    /** Number of layers, from which the platform estimates the size of a graph. */
    int layers();

    /** The pooling that the file requests; the family's usual one if it requests none. */
    Pooling pooling();

    /**
     * The row to which the classifier applies: the pooling before {@link Pooling#RANK}. The row of
     * the first token by default.
     */
    default Pooling rankPooling() {
        return Pooling.CLS;
    }

    /** The weights, with those of all heads. */
    TensorSelection tensors();

    /**
     * Records the computation of a batch. Must depend on nothing but {@code graph}.
     *
     * @return rows after the last norm, {@code F32 [width, T]}
     */
    Tensor build(EncoderGraph graph);

    /** Returns the layers after the pooling; none by default. */
    default EncoderHead head() {
        return EncoderHead.none();
    }

    /** Whether {@link #classify} gives scores. */
    default boolean ranks() {
        return head().ranks();
    }

    /**
     * Records the scores of pooled rows.
     *
     * @param rows {@code F32 [width, N]}
     * @return {@code F32 [outputs, N]}, of which the first is the score
     */
    default Tensor classify(EncoderGraph graph, Tensor rows) {
        return head().classify(graph, rows);
    }
}
