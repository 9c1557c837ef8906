/**
 * Scores which tokens of a long prompt matter, with a drafter: which of its layers are scored, and
 * which blocks of keys its attention reads. Arithmetic on the host only; graphs and devices are in
 * other packages.
 *
 * <p>Start with {@link dev.varve.platform.shard.scoring.BlockPairScores}. The scores are used in
 * {@link dev.varve.platform.compression.selection}.
 */
package dev.varve.platform.shard.scoring;
