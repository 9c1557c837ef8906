package dev.varve.platform.shard;

/**
 * Hidden states that a batch asked for.
 *
 * @param layer layer whose input it is; the layer count stands for the last layer's output
 * @param values {@code F32 [embeddingLength, tokens]}, column after column; not to be modified but
 *     by {@link #gather}
 * @param tokens number of columns, those of the batch
 */
public record CapturedFeature(int layer, float[] values, int tokens) {
    /**
     * Brings the columns of a path to where those of the first tokens of its slice are.
     *
     * @param column the slice's first
     */
    public void gather(int column, TokenPath path) {
        int length = values.length / tokens;
        for (TokenPath.Move move : path.moves()) {
            System.arraycopy(
                    values,
                    (column + move.from()) * length,
                    values,
                    (column + move.to()) * length,
                    move.count() * length);
        }
    }
}
