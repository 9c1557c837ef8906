package dev.varve.platform.engine;

/**
 * Where a prompt is cut for prefill. The cuts depend on the sequence's own positions only, never on
 * what else runs, so that a prompt gives the same numbers under any load.
 *
 * <p>A window ends at every multiple of {@value #WINDOW} positions and at the stable prefix. Inside
 * a window, blocks of {@value #BLOCK} tokens may be computed one at a time: attention works in
 * tiles of that many rows, so the numbers are those of the whole window. The last block keeps at
 * least {@value #BLOCK} rows, since fewer rows take another path.
 */
final class ChunkPlan {
    /** Tokens per window, the usual micro-batch of ggml-based engines. */
    static final int WINDOW = 512;

    /** Rows of an attention tile. */
    static final int BLOCK = 64;

    private ChunkPlan() {}

    /**
     * Returns the end of the next chunk.
     *
     * @param begin first position that is not computed yet
     * @param end number of known tokens
     * @param stablePrefix position of the checkpoint, 0 for none
     * @param shared whether other sequences wait for their next token
     */
    static int next(int begin, int end, int stablePrefix, boolean shared) {
        int windowEnd = Math.min(end, (begin / WINDOW + 1) * WINDOW);
        if (begin < stablePrefix) {
            windowEnd = Math.min(windowEnd, stablePrefix);
        }
        boolean divisible = windowEnd - begin >= 2 * BLOCK;
        return shared && divisible ? begin + BLOCK : windowEnd;
    }
}
