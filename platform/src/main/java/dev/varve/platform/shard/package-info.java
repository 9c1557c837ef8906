/**
 * A shard computes one layer range of a model on one device: weights, KV pool, recurrent state rows
 * and the graphs that tie them together. Everything here is the same for all model families; what a
 * layer computes comes from a {@link dev.varve.api.model.LayerSplitAdapter}.
 *
 * <p>A position of a sequence and the slot that holds its K and V rows are different numbers:
 * {@link dev.varve.platform.shard.SlotSpan} maps one to the other. Recurrent state is addressed by
 * row numbers, so that a checkpoint or a restore is another number and not a copy.
 */
package dev.varve.platform.shard;
