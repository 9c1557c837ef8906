package dev.varve.platform.shard;

/**
 * Whether the numbers of a token may depend on the other tokens of its batch. A CPU multiplies
 * several columns with other operators than a single column, and these sum in another order; this
 * setting forbids or allows that. Devices other than the CPU choose their operators by the number
 * of columns: the setting guarantees nothing for them.
 *
 * <p>A <em>row</em> is a token of a decode step, or a chunk of a single token or of {@link
 * ChunkComputeMode#ROWS} in any batch; a <em>prefill chunk</em> is any other chunk of a prefill
 * batch ({@link Batch#phase}). Rows and prefill chunks of several sequences may be in one batch,
 * which then is a prefill batch. In it
 *
 * <ul>
 *   <li>a prefill chunk has the numbers that it has alone, except with {@link #OFF};
 *   <li>a row has the numbers that it has alone, under the conditions of {@link #AUTO} or {@link
 *       #ON}.
 * </ul>
 */
public enum BatchInvariance {
    /**
     * A row has the numbers that it has alone, which are those of libllama, for any rows and
     * prefill chunks of other sequences in its batch. In a decode batch this holds for all weight
     * types for which it costs almost nothing (see {@code MatmulKernelProperties}), and for other
     * types up to 4 or 7 rows; in a prefill batch it holds for all types, if both phases have the
     * same number of threads.
     */
    AUTO,

    /**
     * A row also has the same numbers among other rows of its own sequence, with any number of
     * threads and all weight types. Attention is split by heads, so that from 512 positions in F16
     * or F32 rows on the numbers differ from those of libllama.
     */
    ON,

    /** All columns of a batch are multiplied together. */
    OFF
}
