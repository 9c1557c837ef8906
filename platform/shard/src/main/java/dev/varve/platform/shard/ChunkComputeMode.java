package dev.varve.platform.shard;

/**
 * How the tokens of a {@link SequenceChunk} are grouped for computation, see {@link
 * BatchInvariance}.
 */
public enum ChunkComputeMode {
    /** All together: part of a prompt. */
    CHUNK,
    /**
     * As columns of a longer chunk whose attention is computed in tiles: a piece of the chunk, with
     * the numbers that it has in the whole chunk. A single token is never a piece.
     */
    PIECE,
    /** Each token by itself: tokens of decode. All chunks of a decode batch have this mode. */
    ROWS
}
