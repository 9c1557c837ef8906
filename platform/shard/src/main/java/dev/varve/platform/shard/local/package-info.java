/**
 * A shard in this process: weights, KV pool, recurrent state rows and the ggml graphs that tie them
 * together. Everything here is the same for all model families; what a layer computes comes from a
 * {@link dev.varve.api.model.LayerSplitAdapter}.
 *
 * <p>More types than elsewhere, on purpose: what can be worked out without tensors (windows, masks,
 * runs of columns, the rules of a graph) is parted from what needs them, so that it is tested
 * without natives; and all of it serves one public class, so that none must be public.
 */
package dev.varve.platform.shard.local;
