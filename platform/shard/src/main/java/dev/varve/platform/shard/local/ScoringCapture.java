package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;

/**
 * Tensors that a layer writes for scoring a text: its keys of all tokens, and the queries of the
 * last tokens of each chunk.
 *
 * @param keys {@code [keyLength * kvHeads, slots]}, of one layer at a time
 * @param options layers that are scored, number of kept queries per chunk, and whether they are
 *     kept after their rotation by position
 * @param sparse whether attention is block-sparse
 */
record ScoringCapture(
        Tensor keys, LayerMajorImportanceScorer.ScoringOptions options, boolean sparse) {
    /** More query heads than any supported model has. */
    private static final int MOST_HEADS = 256;

    /** Number of additional tensors of a layer compared with dense attention. */
    int moreTensors() {
        return sparse ? SparseGraphBreak.tensors(MOST_HEADS) : 0;
    }

    /** Whether a layer's keys and queries are scored. */
    boolean wants(int layer) {
        return options.layers().contains(layer);
    }

    /** Whether nothing after this layer's keys and queries is computed, not even its output. */
    boolean endsWith(int layer) {
        return options.layers().end() == layer + 1;
    }
}
