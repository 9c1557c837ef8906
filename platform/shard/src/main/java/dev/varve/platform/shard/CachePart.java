package dev.varve.platform.shard;

import java.util.List;

/**
 * Part of a sequence's cached data in one layer: some of its rows, or its state at a position.
 * Layers are numbered as in the model, so that a part is the same for every split of the model.
 */
public sealed interface CachePart {
    /** Number of the layer in the model. */
    int layer();

    /** Size of the part in bytes. */
    long bytes();

    /**
     * Rows of a full attention layer: all K rows, then all V rows.
     *
     * @param slot slot of the first position
     * @param position first position; with reordered pages it may be greater than the slot
     * @param count consecutive positions, in consecutive slots
     */
    record Rows(int layer, RowLayout layout, int slot, int position, int count)
            implements CachePart {
        /** Checks that the slots and positions are valid. */
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
     * Rows of a full attention layer that are in host memory, or will be: all K rows, then all V
     * rows.
     *
     * @param page name of their page
     * @param position first position; a page begins at every multiple of {@link Pages#TOKENS}
     * @param count consecutive positions of the page
     */
    record HostPageRows(int layer, RowLayout layout, long page, int position, int count)
            implements CachePart {
        /** Checks that the positions are within one page. */
        public HostPageRows {
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

        /** First position, counted from the beginning of the page. */
        public int first() {
            return position % Pages.TOKENS;
        }

        @Override
        public long bytes() {
            return layout.bytes(count);
        }
    }

    /**
     * Rows of a sliding layer that are still in its window at {@code end}: all K rows, then all V
     * rows.
     *
     * @param row state row whose region holds them
     * @param first first position; a multiple of {@link KvSlotSpan#BLOCK}
     * @param end position after the last one
     */
    record Window(int layer, RowLayout layout, int row, int first, int end) implements CachePart {
        /** Checks that the positions are valid. */
        public Window {
            require(
                    layer >= 0
                            && row > SequenceChunk.ZERO_ROW
                            && first >= 0
                            && first % KvSlotSpan.BLOCK == 0
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
     * State of a recurrent layer (convolution inputs, then matrices) or of a family's custom layer
     * (part after part); always F32.
     *
     * @param elements of each of its tensors
     * @param row state row that holds it
     * @param end number of tokens that it includes
     */
    record State(int layer, List<Long> elements, int row, int end) implements CachePart {
        /** Checks that the row is valid. */
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
                    "invalid "
                            + kind
                            + " of layer "
                            + layer
                            + ": place "
                            + place
                            + ", extent "
                            + extent);
        }
    }
}
