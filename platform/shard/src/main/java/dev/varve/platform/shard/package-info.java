/**
 * Interface of a shard, one layer range of a model on one device, in this process or in another
 * one, with its batches, boundary activations and cache parts. No type here uses ggml objects;
 * {@link dev.varve.platform.shard.local} computes with ggml and {@code dev.varve.platform.remote}
 * calls other processes.
 *
 * <p>A position of a sequence and the slot that holds its K and V rows are different numbers:
 * {@link KvSlotSpan} maps one to the other. Recurrent state is addressed by row numbers, so that a
 * checkpoint or a restore is another number and not a copy.
 *
 * <ul>
 *   <li>{@link Shard}, {@link ShardOptions}, {@link ShardHealth}, {@link ShardMemory}: the shard;
 *   <li>{@link Batch}, {@link SequenceChunk}, {@link ChunkPlacement}, {@link TokenTree}, {@link
 *       ShardResult}: a batch and its result;
 *   <li>{@link CacheChanges}, {@link StateCommit}, {@link KvSlotCopy}, {@link PageMove}: changes of
 *       the caches before a batch;
 *   <li>{@link CacheLayout}, {@link CachePart}, {@link CacheTypes}, {@link CacheUnitBytes}:
 *       contents of the caches, and their sizes;
 *   <li>{@link Pages}, {@link SlotPositionMap}, {@link PageQuery}, {@link KeyBounds}: pages of a
 *       bounded KV cache;
 *   <li>{@link BatchInvariance}, {@link Numerics}, {@link WeightLayout}: settings that decide bits;
 *   <li>{@link ImportanceScorer}: a model that scores the tokens of a text.
 * </ul>
 *
 * <p>They are one package because nearly all are parameters or results of {@link Shard}: a change
 * of one of them changes the interface. All are public, so a division would hide nothing.
 */
package dev.varve.platform.shard;
