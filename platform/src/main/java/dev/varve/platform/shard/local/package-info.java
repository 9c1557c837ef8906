/**
 * A shard in this process: weights, KV pool, recurrent state rows and the ggml graphs that tie them
 * together. Everything here is the same for all model families; what a layer computes comes from a
 * {@link dev.varve.api.model.LayerSplitAdapter}.
 */
package dev.varve.platform.shard.local;
