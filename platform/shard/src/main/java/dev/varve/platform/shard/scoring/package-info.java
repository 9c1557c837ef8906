/**
 * How a drafter tells which tokens of a long prompt matter: which of its layers are asked, how much
 * the last tokens attend to all others, and which blocks of keys its attention looks at on the way.
 * Arithmetic only, on the host; graphs and devices are others' matter.
 *
 * <p>Start with {@link dev.varve.platform.shard.scoring.TailAttention}. What becomes of the scores
 * is in {@link dev.varve.platform.compression.selection}.
 */
package dev.varve.platform.shard.scoring;
