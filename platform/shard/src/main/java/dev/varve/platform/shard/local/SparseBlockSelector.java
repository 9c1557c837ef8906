package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.scoring.BlockPairScores;
import dev.varve.platform.shard.scoring.BlockSelectionRule;

import java.util.Arrays;

/**
 * Selects the keys for the chunks of a text, layer by layer and chunk by chunk in order, and runs
 * the computation with them: the rule of {@link BlockSelectionRule}, head by head. Mean keys are
 * computed from the cached keys, in float. Runs per chunk and layer: buffers are reused. For one
 * thread.
 */
final class SparseBlockSelector {
    private static final int BLOCK = BlockPairScores.BLOCK;

    /** Smallest exponent of a power of two: smaller powers have no exact float. */
    private static final float LEAST = -125;

    private final BlockSelectionRule rule;
    private final int blocks;

    /** Mean keys of the current layer, {@code [keyLength, kvHeads, blocks]}. */
    private float[] means = new float[0];

    /** Number of selected key blocks, and of all visible ones. */
    private long selectedBlocks;

    private long visible;
    private float[] read = new float[0];
    private short[] row = new short[0];

    /**
     * @param tokens of the text
     */
    SparseBlockSelector(BlockSelectionRule rule, int tokens) {
        this.rule = rule;
        blocks = Math.ceilDiv(tokens, BLOCK);
    }

    /** Computes some operators of a graph, after those before them. */
    interface GraphSegmentRunner {
        /** Computes operators from {@code begin} to before {@code end}; none if they are equal. */
        void compute(int begin, int end);
    }

    /**
     * Computes the attention of a chunk and all operators before it; other inputs are written
     * already.
     *
     * @param begin the chunk's first token, at the beginning of a block
     */
    void compute(SparseGraphBreak steps, int begin, GraphSegmentRunner graph) {
        SparseGraphBreak.SegmentEnds ends = steps.ends();
        graph.compute(0, ends.keys());
        takeKeys(steps.keys(), begin);
        writeMeans(steps.means());
        graph.compute(ends.keys(), ends.products());
        boolean[][][] chosen = choose(steps, begin);
        int done = ends.products();
        int together = Math.toIntExact(steps.mask().ne(2));
        for (int i = 0; i < ends.heads().size(); i++) {
            writeMask(
                    steps.mask(),
                    Arrays.copyOfRange(chosen, i * together, (i + 1) * together),
                    begin);
            graph.compute(done, ends.heads().get(i));
            done = ends.heads().get(i);
        }
    }

    /** Fraction of the visible key blocks that was selected so far. */
    double share() {
        return visible == 0 ? 1 : (double) selectedBlocks / visible;
    }

    private void takeKeys(Tensor keys, int begin) {
        int width = Math.toIntExact(keys.ne(0) * keys.ne(1));
        int count = Math.toIntExact(keys.ne(2));
        if (means.length == 0) {
            means = new float[blocks * width];
        }
        float[] values = read(keys, 0, Math.toIntExact(keys.elements()));
        for (int first = 0; first < count; first += BLOCK) {
            int length = Math.min(BLOCK, count - first);
            int at = (begin + first) / BLOCK * width;
            Arrays.fill(means, at, at + width, 0);
            for (int token = first; token < first + length; token++) {
                for (int i = 0; i < width; i++) {
                    means[at + i] += values[token * width + i];
                }
            }
            for (int i = 0; i < width; i++) {
                means[at + i] /= length;
            }
        }
    }

    /** Blocks after the chunk have undefined means; no query reads them. */
    private void writeMeans(Tensor target) {
        int length = Math.toIntExact(target.ne(0));
        int slots = Math.toIntExact(target.ne(1));
        int heads = Math.toIntExact(target.ne(2));
        // Head by head: together they would be a large part of the heap for a long text.
        float[] values = new float[length * slots];
        for (int head = 0; head < heads; head++) {
            for (int block = 0; block < Math.min(blocks, slots); block++) {
                System.arraycopy(
                        means, (block * heads + head) * length, values, block * length, length);
            }
            target.write(values, 0, values.length, (long) head * values.length);
        }
    }

    /** Returns by query head, block of the chunk and key block whether it is selected. */
    private boolean[][][] choose(SparseGraphBreak steps, int begin) {
        Tensor products = steps.products();
        int width = Math.toIntExact(products.ne(0));
        int rows = Math.toIntExact(products.ne(1));
        int heads = Math.toIntExact(products.ne(2));
        float scale = (float) (steps.scale() / Math.log(2));
        boolean[][][] chosen = new boolean[heads][Math.ceilDiv(rows, BLOCK)][blocks];
        for (int head = 0; head < heads; head++) {
            float[] values = read(products, head * (long) rows * width, rows * width);
            for (int first = 0; first < rows; first += BLOCK) {
                int block = (begin + first) / BLOCK;
                double[] scores =
                        scores(
                                values,
                                first * width,
                                Math.min(BLOCK, rows - first),
                                width,
                                block + 1,
                                scale);
                int[] selected = rule.select(block, blocks, scores);
                selectedBlocks += selected.length;
                visible += block + 1;
                for (int other : selected) {
                    chosen[head][first / BLOCK][other] = true;
                }
            }
        }
        return chosen;
    }

    /** See {@link BlockPairScores}, for the first {@code count} blocks of keys. */
    private static double[] scores(
            float[] products, int at, int rows, int width, int count, float scale) {
        float[] most = new float[count];
        Arrays.fill(most, Float.NEGATIVE_INFINITY);
        for (int r = 0; r < rows; r++) {
            int row = at + r * width;
            for (int n = 0; n < count; n++) {
                most[n] = Math.max(most[n], products[row + n]);
            }
        }
        float[] sums = new float[count];
        for (int r = 0; r < rows; r++) {
            int row = at + r * width;
            for (int n = 0; n < count; n++) {
                sums[n] += exp2((products[row + n] - most[n]) * scale);
            }
        }
        double[] scores = new double[count];
        for (int n = 0; n < count; n++) {
            scores[n] = sums[n];
        }
        return scores;
    }

    /**
     * Computes 2 to the power of a number not above 0, with a relative error of about 2e-7; in
     * steps that can be vectorised.
     */
    private static float exp2(float x) {
        float clamped = Math.max(x, LEAST);
        int whole = (int) clamped - 1;
        float part = clamped - whole;
        // The series of e^y, with y = 0 in the middle of part's range.
        float y = (part - 0.5f) * (float) Math.log(2);
        float power =
                1 + y * (1 + y * (0.5f + y * (1 / 6f + y * (1 / 24f + y * (1 / 120f + y / 720f)))));
        return Float.intBitsToFloat((whole + 127) << 23) * (power * (float) Math.sqrt(2));
    }

    private void writeMask(Tensor mask, boolean[][][] chosen, int begin) {
        int slots = Math.toIntExact(mask.ne(0));
        int rows = Math.toIntExact(mask.ne(1));
        if (row.length != slots) {
            row = new short[slots];
        }
        for (int head = 0; head < chosen.length; head++) {
            for (int first = 0; first < rows; first += BLOCK) {
                see(chosen[head][first / BLOCK], begin + first);
                for (int r = first; r < Math.min(rows, first + BLOCK); r++) {
                    row[begin + r] = CausalMask.VISIBLE;
                    mask.write(row, 0, slots, (long) (head * rows + r) * slots);
                }
            }
        }
    }

    /** Writes the mask row for all queries of the block that begins with a token. */
    private void see(boolean[] chosen, int token) {
        Arrays.fill(row, CausalMask.MASKED);
        for (int first = 0; first < token; first += BLOCK) {
            if (chosen[first / BLOCK]) {
                Arrays.fill(row, first, first + BLOCK, CausalMask.VISIBLE);
            }
        }
    }

    private float[] read(Tensor tensor, long from, int count) {
        if (read.length < count) {
            read = new float[count];
        }
        tensor.read(read, 0, count, from);
        return read;
    }
}
