package dev.varve.platform.shard.local;

import dev.varve.platform.shard.PageMap;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotSpan;

/**
 * K and V rows that attention reads for one chunk.
 *
 * @param position position of the rows in the first slot
 * @param slot first slot that is read, a multiple of {@link SlotSpan#BLOCK}
 * @param slots number of slots, a multiple of {@link SlotSpan#BLOCK}
 * @param pages which positions are in which slots, {@linkplain PageMap#isInOrder in order}; if not
 *     straight, {@code position} is 0
 */
record KvView(int position, int slot, int slots, PageMap pages) {
    /** View of a sequence without rows of this kind. */
    static final KvView NONE = new KvView(0, 0, 0);

    /** Checks that sums over the slots are in the order of positions. */
    KvView {
        if (!pages.isInOrder()) {
            throw new IllegalArgumentException("pages out of order: " + pages);
        }
    }

    /** Creates a view whose positions are in order. */
    KvView(int position, int slot, int slots) {
        this(position, slot, slots, PageMap.STRAIGHT);
    }

    /** The slot of a position. */
    int slotOf(int at) {
        return slot + indexOf(at);
    }

    /** The slot of a position, counted from the first slot of the view. */
    int indexOf(int at) {
        return pages.isStraight() ? at - position : pages.offset(at);
    }

    /** View of all positions of a chunk's sequence, in its span. */
    static KvView whole(SequenceChunk chunk) {
        return new KvView(0, chunk.slots().begin(), chunk.attendedSlots(), chunk.place().pages());
    }
}
