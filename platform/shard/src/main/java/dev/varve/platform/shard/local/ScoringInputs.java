package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;

/**
 * Where a layer leaves what a text is looked through by: its keys of all tokens, and the queries of
 * the last ones of each chunk.
 *
 * @param keys {@code [keyLength * kvHeads, slots]}, of one layer at a time
 * @param sparse whether its attention goes to some blocks of keys only
 * @param look which layers count, how many of the last queries of a chunk are kept, and whether as
 *     they are after the rotation by their positions
 */
record ScoringInputs(Tensor keys, LayerwiseTextScorer.Look look, boolean sparse) {
    /** More query heads than any model has. */
    private static final int MOST_HEADS = 256;

    /** Tensors that a layer takes more than it does where every token attends to all before it. */
    int moreTensors() {
        return sparse ? SparseGraphBreak.tensors(MOST_HEADS) : 0;
    }

    /** Whether a layer's keys and queries count. */
    boolean wants(int layer) {
        return look.layers().contains(layer);
    }

    /** Whether nothing is computed behind a layer, not even what it gives. */
    boolean endsWith(int layer) {
        return look.layers().end() == layer + 1;
    }
}
