package dev.varve.platform.shard.scoring;

/**
 * Scores how evenly the queries of a block attend to the keys of another block: the sum over the
 * queries of 2 to the power of their product with the mean key, in units of the largest. A score is
 * between 1 and the number of queries, and does not depend on how large the products are. Rows
 * after the end of the text do not count: a partial last block has fewer rows.
 *
 * <p>Plain loops in double: the reference for kernels.
 */
public final class BlockPairScores {
    /** Tokens of a block. */
    public static final int BLOCK = 128;

    private static final double LOG2_E = 1 / Math.log(2);

    private final HeadShape shape;
    private final float[] queries;
    private final double[] means;
    private final int tokens;

    /**
     * Computes the mean keys of a layer; the arrays are not copied.
     *
     * @param queries {@code [headLength, queryHeads, tokens]}
     * @param keys {@code [headLength, keyHeads, tokens]}
     */
    public BlockPairScores(HeadShape shape, float[] queries, float[] keys) {
        this.shape = shape;
        this.queries = queries;
        tokens = keys.length / shape.keyRow();
        if (tokens == 0
                || keys.length != tokens * shape.keyRow()
                || queries.length != tokens * shape.queryRow()) {
            throw new IllegalArgumentException(
                    "expected whole rows of as many tokens, found "
                            + queries.length
                            + " elements of queries and "
                            + keys.length
                            + " of keys");
        }
        means = means(keys);
    }

    /** Number of blocks of the text; the last one may be partial. */
    public int blocks() {
        return Math.ceilDiv(tokens, BLOCK);
    }

    /**
     * Scores of all key blocks from 0 to {@code block} for a block of queries and one query head.
     */
    public double[] of(int block, int queryHead) {
        double[] scores = new double[block + 1];
        for (int other = 0; other <= block; other++) {
            scores[other] = score(block, other, queryHead);
        }
        return scores;
    }

    private double score(int block, int other, int queryHead) {
        int first = block * BLOCK;
        double[] products = new double[end(block) - first];
        double most = Double.NEGATIVE_INFINITY;
        for (int row = 0; row < products.length; row++) {
            products[row] = product(first + row, queryHead, other);
            most = Math.max(most, products[row]);
        }
        double sum = 0;
        for (double product : products) {
            sum += Math.pow(2, product - most);
        }
        return sum;
    }

    private double product(int token, int queryHead, int block) {
        int query = token * shape.queryRow() + queryHead * shape.length();
        int mean = at(block, shape.keyHead(queryHead));
        double sum = 0;
        for (int i = 0; i < shape.length(); i++) {
            sum += queries[query + i] * means[mean + i];
        }
        return sum * shape.scale() * LOG2_E;
    }

    private double[] means(float[] keys) {
        int row = shape.keyRow();
        double[] sums = new double[blocks() * row];
        for (int token = 0; token < tokens; token++) {
            for (int i = 0; i < row; i++) {
                sums[token / BLOCK * row + i] += keys[token * row + i];
            }
        }
        for (int i = 0; i < sums.length; i++) {
            int block = i / row;
            sums[i] /= end(block) - block * BLOCK;
        }
        return sums;
    }

    private int end(int block) {
        return Math.min((block + 1) * BLOCK, tokens);
    }

    private int at(int block, int keyHead) {
        return block * shape.keyRow() + keyHead * shape.length();
    }
}
