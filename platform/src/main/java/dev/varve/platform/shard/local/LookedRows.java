package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;

/**
 * Where a layer leaves what a text is looked through by: its keys of all tokens, and the queries of
 * the last ones of each chunk.
 *
 * @param keys {@code [keyLength * kvHeads, slots]}, of one layer at a time
 * @param queries how many of the last tokens of a chunk are kept
 * @param rotated whether as they are after the rotation by their positions
 */
record LookedRows(Tensor keys, int queries, boolean rotated) {}
