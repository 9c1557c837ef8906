package dev.varve.platform.engine;

import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.shard.PoolGeometry;

/**
 * Where a prompt is cut for prefill. The cuts depend on the sequence's own positions only, never on
 * what else runs, so that a prompt gives the same numbers under any load.
 *
 * <p>A window ends at every multiple of {@value #WINDOW} positions and at a checkpoint. Inside a
 * window, pieces may be computed one at a time: products take their columns in groups of which a
 * piece has whole ones ({@link dev.varve.platform.shard.Shard#columnGroup}), and attention takes
 * the path that it takes for the whole window, so the numbers are the same. What is left over stays
 * with the last piece.
 *
 * @param end position behind the tokens
 * @param stretch what they are to their window
 */
record ChunkPlan(int end, ChunkKind stretch) {
    /** Tokens per window, the usual micro-batch of ggml-based engines. */
    static final int WINDOW = 512;

    /** Rows of a window from which on attention goes in tiles. */
    static final int TILE = 64;

    /** Least tokens of a piece; columns in multiples of that are multiplied fastest. */
    static final int PIECE = 16;

    /**
     * Returns the end of the window in which a position lies.
     *
     * @param begin first position that is not computed yet
     * @param end number of known tokens
     * @param checkpoint position of the next checkpoint, 0 for none
     */
    static int windowEnd(int begin, int end, int checkpoint) {
        int windowEnd = Math.min(end, (begin / WINDOW + 1) * WINDOW);
        return begin < checkpoint ? Math.min(windowEnd, checkpoint) : windowEnd;
    }

    /**
     * Returns where a window ends if not all before it can be in the slots of its sequence: it is
     * shorter then, so that it does not drive out most of what it would see.
     *
     * @param windowEnd as {@link #windowEnd} has it
     * @param slots that the sequence may have
     */
    static int boundedEnd(int begin, int windowEnd, int slots) {
        if (windowEnd <= slots) {
            return windowEnd;
        }
        int window = PoolGeometry.cell(slots);
        return Math.min(windowEnd, (begin / window + 1) * window);
    }

    /**
     * Returns where the window of a position begins if nothing but its length cuts it.
     *
     * @param end number of tokens
     * @param slots that the sequence may have
     */
    static int windowBegin(int begin, int end, int slots) {
        boolean bounded = windowEnd(begin, end, 0) > slots;
        int window = bounded ? PoolGeometry.cell(slots) : WINDOW;
        return begin / window * window;
    }

    /**
     * Returns the next tokens of a window.
     *
     * @param begin first position that is not computed yet
     * @param windowEnd position behind the window
     * @param window {@link ChunkKind#PIECE} if the window goes on behind its end, else {@link
     *     ChunkKind#WINDOW}
     * @param continues whether the tokens are the rest of a window that is attended in tiles
     * @param most tokens of a piece, at least {@value #PIECE}; a whole window may have more
     */
    static ChunkPlan next(int begin, int windowEnd, ChunkKind window, boolean continues, int most) {
        int rest = windowEnd - begin;
        // A single token is a row, which has numbers of its own.
        boolean tiles = window == ChunkKind.PIECE || rest >= (continues ? 2 : TILE);
        int tokens = rest;
        if (most < rest && rest >= 2 * PIECE) {
            tokens = most <= rest - PIECE ? most : (rest - PIECE) / PIECE * PIECE;
        }
        return new ChunkPlan(begin + tokens, stretch(tiles, tokens == rest, window, continues));
    }

    private static ChunkKind stretch(
            boolean tiles, boolean ends, ChunkKind window, boolean continues) {
        if (!tiles) {
            return ChunkKind.WINDOW;
        }
        if (!ends || window == ChunkKind.PIECE) {
            return ChunkKind.PIECE;
        }
        return continues ? ChunkKind.LAST_PIECE : ChunkKind.WINDOW;
    }
}
