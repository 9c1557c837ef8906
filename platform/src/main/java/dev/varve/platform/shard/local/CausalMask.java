package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.TokenTree;

import java.util.Arrays;

/**
 * Which slots each token of a slice sees: its own position and those before it, as far as the
 * window reaches; of a tree, those of the tokens that it follows.
 *
 * @param window positions that a token sees, its own included
 */
record CausalMask(int window) {
    /** Half-precision minus infinity: the slot is not seen. */
    static final short MASKED = (short) 0xFC00;

    /** Half-precision zero: the slot is seen. */
    static final short SEEN = 0;

    /**
     * Writes a mask row after row, one number for each slot of the view.
     *
     * @param rows the slice's tokens, or more, which see what the last one sees
     */
    void fill(short[] target, Slice slice, KvView view, int rows) {
        if (!slice.tree().isChain()) {
            fillTree(target, slice, view);
            return;
        }
        int attended = view.slots();
        int last = slice.firstPosition() + slice.tokens().length - 1;
        for (int row = 0; row < rows; row++) {
            int begin = row * attended;
            int position = Math.min(slice.firstPosition() + row, last);
            int oldest = (int) Math.max(0, (long) position - window + 1 - view.position());
            int end = position + 1 - view.position();
            Arrays.fill(target, begin, begin + oldest, MASKED);
            Arrays.fill(target, begin + oldest, begin + end, SEEN);
            Arrays.fill(target, begin + end, begin + attended, MASKED);
        }
    }

    private void fillTree(short[] target, Slice slice, KvView view) {
        TokenTree tree = slice.tree();
        int attended = view.slots();
        int known = slice.firstPosition() - view.position();
        for (int row = 0; row < slice.tokens().length; row++) {
            int begin = row * attended;
            int oldest = Math.max(0, slice.position(row) - window + 1);
            Arrays.fill(target, begin, begin + attended, MASKED);
            int seen = Math.max(0, oldest - view.position());
            if (seen < known) {
                Arrays.fill(target, begin + seen, begin + known, SEEN);
            }
            for (int token = row; token >= 0; token = tree.parent(token)) {
                if (slice.position(token) >= oldest) {
                    target[begin + known + token] = SEEN;
                }
            }
        }
    }
}
