package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/**
 * How a product is cut so that each byte of a weight comes from memory once. ggml's kernels for
 * floats in the memory for matrix registers take four columns together and go through all rows
 * before the next four; threads share out columns before rows, so that each reads the whole weight.
 *
 * @param rows of the weight in a tile
 * @param columns of a tile
 */
record ProductTiles(long rows, long columns) {
    /** Columns that the kernel takes together. */
    private static final int GROUP = 4;

    /** Columns up to which groups are worth a product of their own. */
    private static final int FEW = 32;

    /** In whose multiples rows are cut, so that threads get equal shares. */
    private static final int ROW_STEP = 96;

    /** Bytes of rows for each thread, which stay in its cache. */
    private static final long BYTES_PER_THREAD = 512 << 10;

    /** Cuts of a weight's rows; more would cost more than they save. */
    private static final int MOST_CUTS = 128;

    /**
     * Cuts for a weight.
     *
     * @param columns of the product
     * @param threads that compute
     */
    static ProductTiles of(Tensor weight, long columns, int threads) {
        long fitting = BYTES_PER_THREAD * threads / weight.nb(1);
        long least = (weight.ne(1) + MOST_CUTS - 1) / MOST_CUTS;
        long steps = (Math.max(fitting, least) + ROW_STEP - 1) / ROW_STEP;
        return new ProductTiles(steps * ROW_STEP, columns <= FEW ? GROUP : columns);
    }

    /** Tensors of a product of so many columns; 0 if it is not cut. */
    static long tensors(Tensor weight, long columns, int threads) {
        return columns <= GROUP
                ? 0
                : Ops.tensorsOfTiles(of(weight, columns, threads).count(weight, columns));
    }

    private long count(Tensor weight, long all) {
        return cuts(weight.ne(1), rows) * cuts(all, columns);
    }

    private static long cuts(long all, long each) {
        return (all + each - 1) / each;
    }

    /** The product. */
    static Tensor multiply(Ops ops, Tensor weight, Tensor input, int threads) {
        if (input.ne(1) <= GROUP || !input.isContiguous()) {
            return ops.mulMat(weight, input);
        }
        ProductTiles tiles = of(weight, input.ne(1), threads);
        return tiles.count(weight, input.ne(1)) == 1
                ? ops.mulMat(weight, input)
                : ops.mulMatTiled(weight, input, tiles.rows, tiles.columns);
    }
}
