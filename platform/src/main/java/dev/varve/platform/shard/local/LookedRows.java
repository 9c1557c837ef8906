package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;

/**
 * Where a layer leaves what a text is looked through by: its keys of all tokens, and the queries of
 * the last ones of each chunk.
 *
 * @param keys {@code [keyLength * kvHeads, slots]}, of one layer at a time
 * @param look which layers count, how many of the last queries of a chunk are kept, and whether as
 *     they are after the rotation by their positions
 */
record LookedRows(Tensor keys, PromptScan.Look look) {
    /** Whether a layer's keys and queries count. */
    boolean wants(int layer) {
        return look.layers().contains(layer);
    }

    /** Whether nothing is computed behind a layer, not even what it gives. */
    boolean endsWith(int layer) {
        return look.layers().end() == layer + 1;
    }
}
