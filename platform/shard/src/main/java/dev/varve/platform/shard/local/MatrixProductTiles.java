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
record MatrixProductTiles(long rows, long columns) {
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
     * @param rows of the weight
     * @param rowBytes of each
     * @param columns of the product
     * @param threads that compute
     */
    static MatrixProductTiles of(long rows, long rowBytes, long columns, int threads) {
        long fitting = BYTES_PER_THREAD * threads / rowBytes;
        long least = cuts(rows, MOST_CUTS);
        return new MatrixProductTiles(
                cuts(Math.max(fitting, least), ROW_STEP) * ROW_STEP,
                columns <= FEW ? GROUP : columns);
    }

    private static MatrixProductTiles of(Tensor weight, long columns, int threads) {
        return of(weight.ne(1), weight.nb(1), columns, threads);
    }

    /** Tiles of a product of so many rows and columns. */
    long count(long allRows, long allColumns) {
        return cuts(allRows, rows) * cuts(allColumns, columns);
    }

    private static long cuts(long all, long each) {
        return (all + each - 1) / each;
    }

    /** Tensors of a product of so many columns beyond the one that it has anyway. */
    static long tensors(Tensor weight, long columns, int threads) {
        return columns <= GROUP
                ? 0
                : Ops.tensorsOfTiles(of(weight, columns, threads).count(weight.ne(1), columns));
    }

    /** The product. */
    static Tensor multiply(Ops ops, Tensor weight, Tensor input, int threads) {
        if (input.ne(1) <= GROUP || !input.isContiguous()) {
            return ops.mulMat(weight, input);
        }
        MatrixProductTiles tiles = of(weight, input.ne(1), threads);
        return tiles.count(weight.ne(1), input.ne(1)) == 1
                ? ops.mulMat(weight, input)
                : ops.mulMatTiled(weight, input, tiles.rows, tiles.columns);
    }
}
