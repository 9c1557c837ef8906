package dev.varve.platform.shard.scoring;

/**
 * How much the last tokens of a prompt attend to each token: for each of the {@value
 * TailQueries#COUNT} tail queries the largest probability over all scored layers and heads, and of
 * these the mean. Runs per token, head and layer. For one thread.
 */
public final class TailAttention {
    private final TailQueries tail;

    /** Largest probability so far, {@code [tokens, queries]}. */
    private final float[] best;

    /** Nothing has been scored yet. */
    public TailAttention(TailQueries tail) {
        this.tail = tail;
        best = new float[Math.multiplyExact(tail.tokens(), TailQueries.COUNT)];
    }

    /**
     * Takes in the attention of one head of a layer, or the largest of several heads.
     *
     * @param probabilities of each key for each tail query, {@code [tokens, queries]}; what a query
     *     does not see is not looked at
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

    /** One score per token; not a number where a probability was none. */
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
