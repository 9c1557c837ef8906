package dev.varve.platform.shard.scoring;

/** Scores of tokens by their definition, in plain loops and double. */
public final class PlainTokenScores {
    private static final int QUERIES = 8;

    private PlainTokenScores() {}

    /**
     * The attention of one head of the last eight tokens.
     *
     * @param queries of the last eight tokens, {@code [headLength, queryHeads, 8]}
     * @param keys of all tokens, {@code [headLength, keyHeads, tokens]}
     * @return {@code [8][tokens]}; 0 where a token is not seen
     */
    public static double[][] probabilities(
            HeadShape shape, float[] queries, float[] keys, int head) {
        int tokens = keys.length / (shape.length() * shape.keyHeads());
        double[][] probabilities = new double[QUERIES][tokens];
        for (int t = 0; t < QUERIES; t++) {
            int seen = tokens - QUERIES + t + 1;
            double[] logits = new double[seen];
            double most = Double.NEGATIVE_INFINITY;
            for (int j = 0; j < seen; j++) {
                int q = (t * shape.queryHeads() + head) * shape.length();
                int group = head * shape.keyHeads() / shape.queryHeads();
                int k = (j * shape.keyHeads() + group) * shape.length();
                for (int i = 0; i < shape.length(); i++) {
                    logits[j] += (double) queries[q + i] * keys[k + i];
                }
                logits[j] /= Math.sqrt(shape.length());
                most = Math.max(most, logits[j]);
            }
            double sum = 0;
            for (int j = 0; j < seen; j++) {
                probabilities[t][j] = Math.exp(logits[j] - most);
                sum += probabilities[t][j];
            }
            for (int j = 0; j < seen; j++) {
                probabilities[t][j] /= sum;
            }
        }
        return probabilities;
    }

    /**
     * Scores over several layers.
     *
     * @param queries by layer, see {@link #probabilities}
     * @param keys by layer
     */
    public static double[] scores(HeadShape shape, float[][] queries, float[][] keys) {
        int tokens = keys[0].length / (shape.length() * shape.keyHeads());
        double[] scores = new double[tokens];
        double[][] best = new double[QUERIES][tokens];
        for (int layer = 0; layer < keys.length; layer++) {
            for (int head = 0; head < shape.queryHeads(); head++) {
                double[][] of = probabilities(shape, queries[layer], keys[layer], head);
                for (int t = 0; t < QUERIES; t++) {
                    for (int j = 0; j < tokens; j++) {
                        best[t][j] = Math.max(best[t][j], of[t][j]);
                    }
                }
            }
        }
        for (int j = 0; j < tokens; j++) {
            for (int t = 0; t < QUERIES; t++) {
                scores[j] += best[t][j] / QUERIES;
            }
        }
        return scores;
    }
}
