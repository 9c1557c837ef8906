package dev.varve.platform.shard;

/**
 * Activation between two layers.
 *
 * @param values {@code F32 [embeddingLength, tokens]}, column after column; not to be modified
 * @param tokens number of columns
 */
public record Boundary(float[] values, int tokens) {}
