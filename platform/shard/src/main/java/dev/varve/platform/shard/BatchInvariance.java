package dev.varve.platform.shard;

/**
 * Whether the numbers of a token depend on what is computed with it. A processor multiplies a few
 * columns with other operators than one, whose sums have another order; here that is ruled out, or
 * allowed. Devices other than the processor choose their operators by the number of columns
 * themselves: nothing is promised of them, whatever is set.
 *
 * <p>A <em>row</em> is a token of a decode step, or a slice of a single token or of {@link
 * ChunkComputeMode#ROWS} in any batch; a <em>chunk</em> is a longer slice of a prefill batch
 * ({@link Batch#phase}). Rows of several sequences and chunks of several sequences may stand in one
 * batch, which then is a prefill batch. In it
 *
 * <ul>
 *   <li>a chunk has the numbers that it has alone, except with {@link #OFF};
 *   <li>a row has the numbers that it has alone, under the conditions of {@link #AUTO} or {@link
 *       #ON}.
 * </ul>
 */
public enum BatchInvariance {
    /**
     * A row has the numbers that it has alone, which are those of libllama, whatever rows and
     * chunks of other sequences are computed with it. In a decode batch this holds for all types of
     * weights for which it costs next to nothing (see {@link ColumnNumerics}), and for others up to
     * 4 or 7 rows; in a prefill batch for all, if both phases have the same number of threads.
     */
    AUTO,

    /**
     * A row has the same numbers also among other rows of its own sequence, with any number of
     * threads and all types of weights. Attention goes by heads, so that the numbers are not those
     * of libllama from 512 positions in F16 or F32 rows on.
     */
    ON,

    /** All columns of a batch are multiplied together. */
    OFF
}
