package dev.varve.platform.shard;

/**
 * With which of their neighbours the tokens of a {@link SequenceChunk} are computed, see {@link
 * BatchInvariance}.
 */
public enum ChunkComputeMode {
    /** All together: a part of a prompt. */
    CHUNK,
    /**
     * As columns of a longer chunk, of which attention is computed in tiles: a piece of it, with
     * the numbers that the whole would give it. A single token is no such piece.
     */
    PIECE,
    /** Each for itself: tokens of decode. All slices of a decode batch are of this kind. */
    ROWS
}
