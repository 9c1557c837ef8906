package dev.varve.platform.shard.scoring;

/**
 * Computes how strongly the last tokens of a prompt attend to each token: for each of the {@value
 * TailQueries#COUNT} tail queries the largest probability over all scored layers and heads, and the
 * mean of these. Runs per token, head and layer. For one thread.
 */
public final class TailAttention {
    private final TailQueries tail;

    /** Largest probability so far, {@code [tokens, queries]}. */
    private final float[] best;

    /** Creates an instance without scores. */
    public TailAttention(TailQueries tail) {
        this.tail = tail;
        best = new float[Math.multiplyExact(tail.tokens(), TailQueries.COUNT)];
    }

    /**
     * Adds the attention of one head of a layer, or the maximum of several heads.
     *
     * @param probabilities of each key for each tail query, {@code [tokens, queries]}; keys after a
     *     query's position are ignored
     */
    public void add(float[] probabilities) {
        if (probabilities.length != best.length) {
            throw new IllegalArgumentException(
                    "expected "
                            + best.length
                            + " probabilities, one per token and query, found "
                            + probabilities.length);
        }
        for (int query = 0; query < TailQueries.COUNT; query++) {
            int row = query * tail.tokens();
            for (int i = row; i < row + tail.visible(query); i++) {
                best[i] = Math.max(best[i], probabilities[i]);
            }
        }
    }

    /** Returns one score per token; NaN if a probability was NaN. */
    public float[] scores() {
        float[] scores = new float[tail.tokens()];
        for (int token = 0; token < scores.length; token++) {
            double sum = 0;
            for (int query = 0; query < TailQueries.COUNT; query++) {
                sum += best[query * scores.length + token];
            }
            scores[token] = (float) (sum / TailQueries.COUNT);
        }
        return scores;
    }
}
