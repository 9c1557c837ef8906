package dev.varve.platform.shard.scoring;

import java.util.stream.IntStream;

/**
 * Which blocks of keys a block of queries attends to. Blocks have {@value BlockScores#BLOCK} tokens
 * and none looks ahead.
 *
 * @param alpha part of the best score that a block needs, more than 0 and less than 1; the higher,
 *     the fewer blocks
 * @param sinks first blocks, which all look at
 * @param window blocks up to their own that all look at
 * @param full last blocks of queries, which look at everything before them
 */
public record BlockSelectionRule(double alpha, int sinks, int window, int full) {
    /** Checks the numbers. */
    public BlockSelectionRule {
        if (!(alpha > 0 && alpha < 1)) {
            throw new IllegalArgumentException(
                    "alpha: expected more than 0 and less than 1, found " + alpha);
        }
        if (sinks < 0 || window < 1 || full < 0) {
            throw new IllegalArgumentException(
                    "a block looks at itself at least, got sinks "
                            + sinks
                            + ", window "
                            + window
                            + ", full "
                            + full);
        }
    }

    /** With the usual 2 sinks, a window of 4 and 2 full blocks. */
    public static BlockSelectionRule of(double alpha) {
        return new BlockSelectionRule(alpha, 2, 4, 2);
    }

    /**
     * The blocks of keys that one block of queries and one head look at.
     *
     * @param block of the queries, from 0
     * @param blocks that the text has
     * @param scores of the key blocks from 0 to {@code block}
     * @return their numbers, ascending; the last one is {@code block}
     */
    public int[] select(int block, int blocks, double[] scores) {
        if (block < 0 || block >= blocks || scores.length != block + 1) {
            throw new IllegalArgumentException(
                    "block "
                            + block
                            + " of "
                            + blocks
                            + " needs a score for each block up to it, found "
                            + scores.length);
        }
        double most = IntStream.rangeClosed(0, block).mapToDouble(n -> scores[n]).max().orElse(0);
        return IntStream.rangeClosed(0, block)
                .filter(
                        n ->
                                n < sinks
                                        || block - n < window
                                        || block >= blocks - full
                                        || scores[n] >= alpha * most)
                .toArray();
    }
}
