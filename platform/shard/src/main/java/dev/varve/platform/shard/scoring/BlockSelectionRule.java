package dev.varve.platform.shard.scoring;

import java.util.stream.IntStream;

/**
 * Rule for the key blocks that a block of queries attends to. Blocks have {@value
 * BlockPairScores#BLOCK} tokens and attend to no later block.
 *
 * @param alpha fraction of the best score that a block needs, above 0 and below 1; the higher, the
 *     fewer blocks
 * @param sinks number of first blocks, to which all blocks attend
 * @param window number of last blocks up to and including its own, to which each block attends
 * @param full number of last query blocks, which attend to everything before them
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
                    "a block must attend to itself, got sinks "
                            + sinks
                            + ", window "
                            + window
                            + ", full "
                            + full);
        }
    }

    /** Creates a rule with the usual 2 sinks, a window of 4 and 2 full blocks. */
    public static BlockSelectionRule of(double alpha) {
        return new BlockSelectionRule(alpha, 2, 4, 2);
    }

    /**
     * Selects the key blocks for one block of queries and one head.
     *
     * @param block of the queries, from 0
     * @param blocks number of blocks of the text
     * @param scores of the key blocks from 0 to {@code block}
     * @return block numbers, ascending; the last one is {@code block}
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
