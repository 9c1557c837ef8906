package dev.varve.platform.shard.local;

import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotPositionMap;

/**
 * K and V rows that attention reads for one chunk.
 *
 * @param position position of the rows in the first slot
 * @param slot first slot that is read, a multiple of {@link KvSlotSpan#BLOCK}
 * @param slots number of slots, a multiple of {@link KvSlotSpan#BLOCK}
 * @param positions which positions are in which slots, {@linkplain SlotPositionMap#isInOrder in
 *     order}; if not straight, {@code position} is 0
 */
record AttendedKvRange(int position, int slot, int slots, SlotPositionMap positions) {
    /** View of a sequence without rows of this kind. */
    static final AttendedKvRange NONE = new AttendedKvRange(0, 0, 0);

    /** Checks that sums over the slots are in the order of positions. */
    AttendedKvRange {
        if (!positions.isInOrder()) {
            throw new IllegalArgumentException("pages out of order: " + positions);
        }
    }

    /** Creates a view whose positions are in order. */
    AttendedKvRange(int position, int slot, int slots) {
        this(position, slot, slots, SlotPositionMap.STRAIGHT);
    }

    /** The slot of a position. */
    int slotOf(int at) {
        return slot + indexOf(at);
    }

    /** The slot of a position, counted from the first slot of the view. */
    int indexOf(int at) {
        return positions.isStraight() ? at - position : positions.offset(at);
    }

    /** View of all positions of a chunk's sequence, in its span. */
    static AttendedKvRange whole(SequenceChunk chunk) {
        return new AttendedKvRange(
                0, chunk.slots().begin(), chunk.attendedSlots(), chunk.place().positions());
    }
}
