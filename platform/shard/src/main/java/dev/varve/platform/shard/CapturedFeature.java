package dev.varve.platform.shard;

/**
 * Hidden states that a batch captured.
 *
 * @param layer layer whose input they are; the layer count means the last layer's output
 * @param values {@code F32 [embeddingLength, tokens]}, column after column; only {@link #gather}
 *     may modify it
 * @param tokens number of columns, as in the batch
 */
public record CapturedFeature(int layer, float[] values, int tokens) {
    /**
     * Moves the columns of a path to those of the first tokens of its chunk.
     *
     * @param column first column of the chunk
     */
    public void gather(int column, AcceptedPath path) {
        int length = values.length / tokens;
        for (AcceptedPath.Move move : path.moves()) {
            System.arraycopy(
                    values,
                    (column + move.from()) * length,
                    values,
                    (column + move.to()) * length,
                    move.count() * length);
        }
    }
}
