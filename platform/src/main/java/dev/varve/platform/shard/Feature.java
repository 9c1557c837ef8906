package dev.varve.platform.shard;

/**
 * Hidden states that a batch asked for.
 *
 * @param layer layer whose input it is; the layer count stands for the last layer's output
 * @param values {@code F32 [embeddingLength, tokens]}, column after column; not to be modified
 * @param tokens number of columns, those of the batch
 */
public record Feature(int layer, float[] values, int tokens) {}
