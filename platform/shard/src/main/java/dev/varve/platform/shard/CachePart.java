package dev.varve.platform.shard;

import java.util.List;

/**
 * What a shard keeps of one sequence in one layer: some of its rows, or its state at a position.
 * Layers are numbered as in the model, so that a part is the same however the model is split.
 */
public sealed interface CachePart {
    /** The layer's number in the model. */
    int layer();

    /** How many bytes it is. */
    long bytes();

    /**
     * Rows of a full attention layer: all K rows, then all V rows.
     *
     * @param slot of the first of them
     * @param position of the first of them; where pages lie in another order, it may be more than
     *     the slot
     * @param count consecutive positions, in consecutive slots
     */
    record Rows(int layer, RowLayout layout, int slot, int position, int count)
            implements CachePart {
        /** Checks that there are such slots. */
        public Rows {
            require(
                    layer >= 0
                            && position >= 0
                            && slot >= 0
                            && count >= 1
                            && position <= Integer.MAX_VALUE - count,
                    "rows",
                    layer,
                    slot,
                    count);
        }

        @Override
        public long bytes() {
            return layout.bytes(count);
        }
    }

    /**
     * Rows of a full attention layer that lie in host memory, or will: all K rows, then all V rows.
     *
     * @param page name of the page to which they belong
     * @param position of the first of them; a page begins at every multiple of {@link Pages#TOKENS}
     * @param count consecutive positions of the page
     */
    record Page(int layer, RowLayout layout, long page, int position, int count)
            implements CachePart {
        /** Checks that there are such positions in a page. */
        public Page {
            Pages.requireName(page);
            require(
                    layer >= 0
                            && position >= 0
                            && count >= 1
                            && position % Pages.TOKENS + count <= Pages.TOKENS,
                    "page",
                    layer,
                    position,
                    count);
        }

        /** The first of the positions, counted from the page's beginning. */
        public int first() {
            return position % Pages.TOKENS;
        }

        @Override
        public long bytes() {
            return layout.bytes(count);
        }
    }

    /**
     * What a sliding layer still sees of the positions before {@code end}: all K rows, then all V
     * rows.
     *
     * @param row state row to whose region they belong
     * @param first first position; a multiple of {@link SlotSpan#BLOCK}
     * @param end position behind the last one
     */
    record Window(int layer, RowLayout layout, int row, int first, int end) implements CachePart {
        /** Checks that there are such positions. */
        public Window {
            require(
                    layer >= 0
                            && row > SequenceChunk.ZERO_ROW
                            && first >= 0
                            && first % SlotSpan.BLOCK == 0
                            && end > first,
                    "window",
                    layer,
                    row,
                    end);
        }

        @Override
        public long bytes() {
            return layout.bytes(end - first);
        }
    }

    /**
     * The state of a recurrent layer, its convolution inputs before its matrices, or of a family's
     * own layer, part after part; always F32.
     *
     * @param elements of each of its tensors
     * @param row state row that holds it
     * @param end tokens that it has seen
     */
    record State(int layer, List<Long> elements, int row, int end) implements CachePart {
        /** Checks that there is such a row. */
        public State {
            elements = List.copyOf(elements);
            require(
                    layer >= 0 && row > SequenceChunk.ZERO_ROW && end >= 1,
                    "state",
                    layer,
                    row,
                    end);
        }

        @Override
        public long bytes() {
            long sum = 0;
            for (long count : elements) {
                sum = Math.addExact(sum, Math.multiplyExact(count, Float.BYTES));
            }
            return sum;
        }
    }

    private static void require(boolean fits, String kind, int layer, int place, int extent) {
        if (!fits) {
            throw new IllegalArgumentException(
                    kind + " of layer " + layer + " at " + place + " with " + extent);
        }
    }
}
