package dev.varve.platform.compression.selection;

import java.util.BitSet;

/**
 * A text that is split into chunks.
 *
 * @param fixed tokens that are protected
 */
record ChunkedText(ScoredText text, BitSet fixed, ChunkGrid grid) {
    static ChunkedText of(ScoredText text, int chunkTokens) {
        return new ChunkedText(
                text, text.spans().asBits(), new ChunkGrid(text.tokens(), chunkTokens));
    }

    /** Returns the chunks with a token that may be dropped. */
    BitSet droppable() {
        BitSet droppable = new BitSet();
        for (int token = fixed.nextClearBit(0);
                token < grid.tokens();
                token = fixed.nextClearBit(grid.range(grid.chunk(token)).end())) {
            droppable.set(grid.chunk(token));
        }
        return droppable;
    }

    /** Whether none of some tokens is protected. */
    boolean isFree(int begin, int count) {
        int next = fixed.nextSetBit(begin);
        return next < 0 || next >= begin + count;
    }

    int[] ids() {
        return text.ids();
    }
}
