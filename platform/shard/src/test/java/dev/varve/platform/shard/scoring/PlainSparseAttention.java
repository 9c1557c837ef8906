package dev.varve.platform.shard.scoring;

/** Attention to some blocks of keys by its definition, in plain loops and double. */
public final class PlainSparseAttention {
    private static final int BLOCK = 128;

    private PlainSparseAttention() {}

    /**
     * Computes the attention output of each query.
     *
     * @param queries {@code [headLength, queryHeads, tokens]}
     * @param keys {@code [headLength, keyHeads, tokens]}
     * @param values like {@code keys}
     * @param blocks the blocks of keys to attend to, by block of queries and query head; inside its
     *     own block a query attends to no later key
     * @return like {@code queries}
     */
    public static double[] attend(
            HeadShape shape, float[] queries, float[] keys, float[] values, int[][][] blocks) {
        int length = shape.length();
        int tokens = keys.length / (length * shape.keyHeads());
        double[] attended = new double[queries.length];
        for (int token = 0; token < tokens; token++) {
            for (int head = 0; head < shape.queryHeads(); head++) {
                int group = head * shape.keyHeads() / shape.queryHeads();
                int at = (token * shape.queryHeads() + head) * length;
                double sum = 0;
                for (int block : blocks[token / BLOCK][head]) {
                    int end = Math.min(Math.min(tokens, (block + 1) * BLOCK), token + 1);
                    for (int key = block * BLOCK; key < end; key++) {
                        int row = (key * shape.keyHeads() + group) * length;
                        double product = 0;
                        for (int i = 0; i < length; i++) {
                            product += (double) queries[at + i] * keys[row + i];
                        }
                        // Test values are small enough to do without their maximum.
                        double weight = Math.exp(product / Math.sqrt(length));
                        sum += weight;
                        for (int i = 0; i < length; i++) {
                            attended[at + i] += weight * values[row + i];
                        }
                    }
                }
                for (int i = 0; i < length; i++) {
                    attended[at + i] /= sum;
                }
            }
        }
        return attended;
    }

    /** The blocks that a rule chooses, by block of queries and head. */
    public static int[][][] blocks(
            HeadShape shape, float[] queries, float[] keys, BlockSelectionRule rule) {
        BlockPairScores scores = new BlockPairScores(shape, queries, keys);
        int[][][] chosen = new int[scores.blocks()][shape.queryHeads()][];
        for (int block = 0; block < chosen.length; block++) {
            for (int head = 0; head < shape.queryHeads(); head++) {
                chosen[block][head] = rule.select(block, scores.blocks(), scores.of(block, head));
            }
        }
        return chosen;
    }
}
