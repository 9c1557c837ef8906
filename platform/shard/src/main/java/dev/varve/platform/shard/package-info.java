/**
 * Interface of a shard, one layer range of a model on one device, in this process or in another
 * one, with its batches, boundary activations and cache parts. No type here uses ggml objects;
 * {@link dev.varve.platform.shard.local} computes with ggml and {@code dev.varve.platform.remote}
 * calls other processes.
 *
 * <p>A position of a sequence and the slot that holds its K and V rows are different numbers:
 * {@link dev.varve.platform.shard.SlotSpan} maps one to the other. Recurrent state is addressed by
 * row numbers, so that a checkpoint or a restore is another number and not a copy.
 */
package dev.varve.platform.shard;
