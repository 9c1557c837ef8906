/**
 * A shard in this process: weights, KV pool, recurrent state rows and the ggml graphs that use
 * them. Everything here is the same for all model families; what a layer computes comes from a
 * {@link dev.varve.api.model.LayerSplitAdapter}.
 *
 * <ul>
 *   <li>{@link LocalShard} and {@link ShardWeights}: the shard and its weights, with {@link
 *       WeightCache} and {@link WeightPlacement}, and the matrices of {@link ShardAdapters};
 *   <li>{@link KvPool}, {@link RecurrentStateTensors}, {@link StateRollbackBuffer}, {@link
 *       HostPages}: the caches, and the code that moves their rows and pages;
 *   <li>{@link GraphBuilder}, {@link GraphInputs}, {@link GraphCache}: graphs, recorded once per
 *       {@link GraphKey}; {@link AttentionBlock}, {@link DeltaNetBlock}, {@link CustomStateBlock},
 *       {@link MoeBlock} and {@link MatrixProducts} record the operators of a layer;
 *   <li>{@link TreeInput}, {@link TreeRecurrence}: trees of draft tokens in recurrent layers;
 *   <li>{@link LayerMajorImportanceScorer} and {@link SparseBlockSelector}: scores for the tokens
 *       of a text, with the same graphs.
 * </ul>
 *
 * <p>They are one package because a graph names tensors of the weights and of all caches, and the
 * code that records it reads their fields. Caches and graphs belong to the thread that computes the
 * shard's batches; package-private access keeps them there. Logic without tensors (windows, masks,
 * runs of columns, rules of a graph) has types of its own, which are tested without native
 * libraries.
 */
package dev.varve.platform.shard.local;
