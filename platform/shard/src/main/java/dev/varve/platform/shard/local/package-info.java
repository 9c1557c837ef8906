/**
 * A shard in this process: weights, KV pool, recurrent state rows and the ggml graphs that use
 * them. Everything here is the same for all model families; what a layer computes comes from a
 * {@link dev.varve.api.model.LayerSplitAdapter}.
 *
 * <p>The package has more types than others on purpose: logic without tensors (windows, masks, runs
 * of columns, the rules of a graph) is separate from code with tensors, so that it is tested
 * without native libraries; and all types serve one public class, so that most need not be public.
 */
package dev.varve.platform.shard.local;
