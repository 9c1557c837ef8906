package dev.varve.platform.engine;

import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.shard.PagePoolSizing;

/**
 * The next chunk of a prompt in prefill. The chunk boundaries depend only on the positions of the
 * sequence, never on other requests, so that a prompt gets the same bits under any load.
 *
 * <p>A window ends at every multiple of {@value #WINDOW} positions and at a checkpoint. A window
 * may be computed in pieces with the same result: matrix products compute columns in groups, and a
 * piece has whole groups ({@link dev.varve.platform.shard.Shard#columnGroup}); attention uses the
 * same code path as for the whole window. The last piece includes the remainder.
 *
 * @param end position after the last token
 * @param kind how the tokens relate to their window
 */
public record PlannedChunk(int end, ChunkKind kind) {
    /** Tokens per window, the usual micro-batch of ggml-based engines. */
    public static final int WINDOW = ChunkHistory.WINDOW_TOKENS;

    /** Minimum tokens of a window for which attention uses tiles. */
    static final int TILE = 64;

    /** Minimum tokens of a piece; matrix products are fastest for multiples of this. */
    public static final int PIECE = 16;

    /** Number of columns that are multiplied efficiently together. */
    private static final int GROUP = 8;

    /**
     * Returns the most columns of a batch with decode rows.
     *
     * @param budget columns within the time limit of streams
     * @param rows columns that decode uses; a piece has room beside them
     */
    public static int columnLimit(int budget, int rows) {
        return Math.clamp(budget, rows + PIECE, WINDOW);
    }

    /**
     * Returns the tokens of a piece after other columns of a batch. If a piece may have any length,
     * it fills the batch to whole groups: each column beyond them costs as much as a decode step.
     *
     * @param limit most columns of the batch
     * @param columns columns that it has already
     * @param columnGroup columns that the shards compute together; 1 if a piece may have any length
     */
    public static int pieceIn(int limit, int columns, int columnGroup) {
        int tokens =
                columnGroup == 1
                        ? limit / GROUP * GROUP - columns
                        : (limit - columns) / PIECE * PIECE;
        return Math.max(tokens, PIECE);
    }

    /**
     * Returns the end of the window in which a position lies.
     *
     * @param begin first position that is not computed yet
     * @param end number of known tokens
     * @param checkpoint position of the next checkpoint, 0 for none
     */
    public static int windowEnd(int begin, int end, int checkpoint) {
        int windowEnd = Math.min(end, (begin / WINDOW + 1) * WINDOW);
        return begin < checkpoint ? Math.min(windowEnd, checkpoint) : windowEnd;
    }

    /**
     * Returns the end of a window; earlier if the sequence has fewer slots than positions, so that
     * the window does not evict most of the tokens that it attends to.
     *
     * @param windowEnd result of {@link #windowEnd}
     * @param slots most slots that the sequence may have
     */
    static int boundedEnd(int begin, int windowEnd, int slots) {
        if (windowEnd <= slots) {
            return windowEnd;
        }
        int window = PagePoolSizing.cell(slots);
        return Math.min(windowEnd, (begin / window + 1) * window);
    }

    /**
     * Returns the begin of the window of a position, without regard to checkpoints.
     *
     * @param end number of tokens
     * @param slots most slots that the sequence may have
     */
    static int windowBegin(int begin, int end, int slots) {
        boolean bounded = windowEnd(begin, end, 0) > slots;
        int window = bounded ? PagePoolSizing.cell(slots) : WINDOW;
        return begin / window * window;
    }

    /**
     * Returns the next chunk of a window.
     *
     * @param begin first position that is not computed yet
     * @param windowEnd position after the window
     * @param window {@link ChunkKind#PIECE} if the window continues after its end, else {@link
     *     ChunkKind#WINDOW}
     * @param continues whether the tokens are the remainder of a window whose attention uses tiles
     * @param most maximum tokens of a piece, at least {@value #PIECE}; a remainder that is too
     *     short to divide may have more
     */
    public static PlannedChunk next(
            int begin, int windowEnd, ChunkKind window, boolean continues, int most) {
        int rest = windowEnd - begin;
        // A single token is computed as a row, which gives other bits.
        boolean tiles = window == ChunkKind.PIECE || rest >= (continues ? 2 : TILE);
        int tokens = rest;
        if (most < rest && rest >= 2 * PIECE) {
            tokens = most <= rest - PIECE ? most : (rest - PIECE) / PIECE * PIECE;
        }
        return new PlannedChunk(begin + tokens, kind(tiles, tokens == rest, window, continues));
    }

    /**
     * Returns the piece length that divides a window into about equal pieces.
     *
     * @param tokens rest of the window
     * @param most maximum tokens of a piece, at least {@value #PIECE}
     */
    static int evenPiece(int tokens, int most) {
        int even = Math.ceilDiv(tokens, Math.ceilDiv(tokens, most));
        return Math.min(most, Math.ceilDiv(even, PIECE) * PIECE);
    }

    private static ChunkKind kind(
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
