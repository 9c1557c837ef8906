package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/**
 * Tiling of a product such that each byte of a weight is read from memory once. ggml's kernels for
 * floats in the memory for matrix registers compute four columns together and iterate over all rows
 * before the next four; threads divide columns before rows, so that each reads the whole weight.
 *
 * @param rows of the weight in a tile
 * @param columns of a tile
 */
record MatmulTiling(long rows, long columns) {
    /** Number of columns that the kernel computes together. */
    private static final int GROUP = 4;

    /** Number of columns up to which each group gets its own product. */
    private static final int FEW = 32;

    /** Rows are cut at multiples of this number, so that threads get equal shares. */
    private static final int ROW_STEP = 96;

    /** Bytes of rows for each thread, which stay in its cache. */
    private static final long BYTES_PER_THREAD = 512 << 10;

    /** Maximum cuts of a weight's rows; more would cost more than they save. */
    private static final int MOST_CUTS = 128;

    /**
     * Returns the tiles for a weight.
     *
     * @param rows of the weight
     * @param rowBytes of each row
     * @param columns of the product
     * @param threads number of computing threads
     */
    static MatmulTiling of(long rows, long rowBytes, long columns, int threads) {
        long fitting = BYTES_PER_THREAD * threads / rowBytes;
        long least = cuts(rows, MOST_CUTS);
        return new MatmulTiling(
                cuts(Math.max(fitting, least), ROW_STEP) * ROW_STEP,
                columns <= FEW ? GROUP : columns);
    }

    private static MatmulTiling of(Tensor weight, long columns, int threads) {
        return of(weight.ne(1), weight.nb(1), columns, threads);
    }

    /** Number of tiles of a product. */
    long count(long allRows, long allColumns) {
        return cuts(allRows, rows) * cuts(allColumns, columns);
    }

    private static long cuts(long all, long each) {
        return (all + each - 1) / each;
    }

    /** Number of additional tensors of a tiled product. */
    static long tensors(Tensor weight, long columns, int threads) {
        return columns <= GROUP
                ? 0
                : Ops.tensorsOfTiles(of(weight, columns, threads).count(weight.ne(1), columns));
    }

    /** Computes the product, in tiles if that is faster. */
    static Tensor multiply(Ops ops, Tensor weight, Tensor input, int threads) {
        if (input.ne(1) <= GROUP || !input.isContiguous()) {
            return ops.mulMat(weight, input);
        }
        MatmulTiling tiles = of(weight, input.ne(1), threads);
        return tiles.count(weight.ne(1), input.ne(1)) == 1
                ? ops.mulMat(weight, input)
                : ops.mulMatTiled(weight, input, tiles.rows, tiles.columns);
    }
}
