package dev.varve.platform.compression.selection;

import java.util.BitSet;

/**
 * Grid of chunks of equal length over a text; the last one may be shorter.
 *
 * @param tokens length of the text, positive
 * @param chunkTokens tokens of a chunk, positive
 */
record ChunkGrid(int tokens, int chunkTokens) {
    ChunkGrid {
        if (tokens < 1 || chunkTokens < 1) {
            throw new IllegalArgumentException(
                    "no chunks of " + chunkTokens + " tokens in " + tokens);
        }
    }

    int chunks() {
        return Math.ceilDiv(tokens, chunkTokens);
    }

    int chunk(int token) {
        return token / chunkTokens;
    }

    TokenRange range(int chunk) {
        int begin = chunk * chunkTokens;
        return new TokenRange(begin, (int) Math.min(tokens, (long) begin + chunkTokens));
    }

    /** Adds the chunk of a token and its neighbours up to {@code radius} chunks away. */
    void addAround(int token, int radius, BitSet chunks) {
        int chunk = chunk(token);
        int last = (int) Math.min(chunks() - 1L, (long) chunk + radius);
        chunks.set(Math.max(0, chunk - radius), last + 1);
    }
}
