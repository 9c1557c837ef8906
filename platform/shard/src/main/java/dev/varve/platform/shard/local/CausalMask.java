package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.TokenTree;

import java.util.Arrays;

/**
 * Mask of the slots that each token of a chunk attends to: its own position and those before it,
 * within the window; in a tree, those of its predecessors. With a window, tokens of some images
 * attend to their whole image.
 *
 * @param window positions that a token attends to, its own included
 */
record CausalMask(int window) {
    /** Half-precision minus infinity: the token does not attend to the slot. */
    static final short MASKED = (short) 0xFC00;

    /** Half-precision zero: the token attends to the slot. */
    static final short VISIBLE = 0;

    /**
     * Writes a mask row after row, one number for each slot of the view.
     *
     * @param rows the chunk's tokens, or more; further rows equal the last one
     */
    void fill(short[] target, SequenceChunk chunk, AttendedKvRange range, int rows) {
        if (!chunk.tree().isChain()) {
            fillTree(target, chunk, range);
            return;
        }
        if (!range.positions().isStraight()) {
            fillPages(target, chunk, range, rows);
            return;
        }
        int attended = range.slots();
        int last = chunk.firstPosition() + chunk.tokens().length - 1;
        for (int row = 0; row < rows; row++) {
            int begin = row * attended;
            int position = Math.min(chunk.firstPosition() + row, last);
            int oldest = (int) Math.max(0, (long) position - window + 1 - range.position());
            int end = visibleEnd(chunk, position) - range.position();
            Arrays.fill(target, begin, begin + oldest, MASKED);
            Arrays.fill(target, begin + oldest, begin + end, VISIBLE);
            Arrays.fill(target, begin + end, begin + attended, MASKED);
        }
    }

    /** Position after the last one that a token attends to, which the chunk contains. */
    private int visibleEnd(SequenceChunk chunk, int position) {
        return window == Integer.MAX_VALUE ? position + 1 : chunk.images().visibleEnd(position);
    }

    /** Masks by the positions in the slots, page by page. */
    private void fillPages(short[] target, SequenceChunk chunk, AttendedKvRange range, int rows) {
        int last = chunk.firstPosition() + chunk.tokens().length - 1;
        for (int row = 0; row < rows; row++) {
            int position = Math.min(chunk.firstPosition() + row, last);
            fillPages(target, row * range.slots(), range, position - window + 1L, position);
        }
    }

    /** Fills one row: positions from {@code oldest} up to {@code newest} are visible. */
    private static void fillPages(
            short[] target, int begin, AttendedKvRange range, long oldest, int newest) {
        Arrays.fill(target, begin, begin + range.slots(), MASKED);
        for (int run = 0; run < range.positions().size(); run++) {
            int page = range.positions().page(run);
            int first = page * Pages.TOKENS;
            int from = Math.clamp(oldest - first, 0, Pages.TOKENS);
            int to = Math.min(newest - first + 1, Pages.TOKENS);
            if (page != SlotPositionMap.EMPTY && from < to) {
                int slot = begin + run * Pages.TOKENS;
                Arrays.fill(target, slot + from, slot + to, VISIBLE);
            }
        }
    }

    private void fillTree(short[] target, SequenceChunk chunk, AttendedKvRange range) {
        TokenTree tree = chunk.tree();
        int attended = range.slots();
        for (int row = 0; row < chunk.tokens().length; row++) {
            int begin = row * attended;
            int oldest = Math.max(0, chunk.position(row) - window + 1);
            fillKnown(target, begin, chunk, range, oldest);
            for (int token = row; token >= 0; token = tree.parent(token)) {
                if (chunk.position(token) >= oldest) {
                    target[begin + range.indexOf(chunk.firstPosition() + token)] = VISIBLE;
                }
            }
        }
    }

    /** Marks the visible positions before the first token of a chunk. */
    private static void fillKnown(
            short[] target, int begin, SequenceChunk chunk, AttendedKvRange range, int oldest) {
        if (!range.positions().isStraight()) {
            fillPages(target, begin, range, oldest, chunk.firstPosition() - 1);
            return;
        }
        Arrays.fill(target, begin, begin + range.slots(), MASKED);
        int known = chunk.firstPosition() - range.position();
        int seen = Math.max(0, oldest - range.position());
        if (seen < known) {
            Arrays.fill(target, begin + seen, begin + known, VISIBLE);
        }
    }
}
