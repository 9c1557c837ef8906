/**
 * What a shard is to the rest of the program: one layer range of a model on one device, in this
 * process or in another one, and the batches, boundary activations and parts of caches that go in
 * and out. No type here knows ggml's objects; {@link dev.varve.platform.shard.local} computes with
 * them and {@code dev.varve.platform.remote} asks other processes.
 *
 * <p>A position of a sequence and the slot that holds its K and V rows are different numbers:
 * {@link dev.varve.platform.shard.SlotSpan} maps one to the other. Recurrent state is addressed by
 * row numbers, so that a checkpoint or a restore is another number and not a copy.
 */
package dev.varve.platform.shard;
