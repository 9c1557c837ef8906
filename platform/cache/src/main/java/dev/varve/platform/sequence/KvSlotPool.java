package dev.varve.platform.sequence;

import dev.varve.platform.shard.KvSlotSpan;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Free KV slots, in whole blocks. A span starts in the middle of the largest gap, so that it and
 * its neighbour can grow in place.
 */
final class KvSlotPool {
    private final int slots;

    /** Length of each free run by its first slot; neighbours are always joined. */
    private final TreeMap<Integer, Integer> gaps = new TreeMap<>();

    private int freeSlots;

    KvSlotPool(int slots) {
        this.slots = slots;
        gaps.put(0, slots);
        freeSlots = slots;
    }

    int slots() {
        return slots;
    }

    int freeSlots() {
        return freeSlots;
    }

    /** Takes a span of {@code capacity} slots, if one gap is large enough. */
    Optional<KvSlotSpan> allocate(int capacity) {
        Optional<Map.Entry<Integer, Integer>> largest =
                gaps.entrySet().stream().max(Map.Entry.comparingByValue());
        if (largest.isEmpty() || largest.get().getValue() < capacity) {
            return Optional.empty();
        }
        int gap = largest.get().getKey();
        int spare = largest.get().getValue() - capacity;
        boolean whole = gap == 0 && freeSlots == slots;
        int begin = whole ? 0 : gap + spare / 2 / KvSlotSpan.BLOCK * KvSlotSpan.BLOCK;
        return Optional.of(allocateAt(begin, capacity));
    }

    /** Takes the given slots, which must be free. */
    KvSlotSpan allocateAt(int begin, int capacity) {
        Map.Entry<Integer, Integer> gap = gaps.floorEntry(begin);
        if (gap == null || gap.getKey() + gap.getValue() < begin + capacity) {
            throw new IllegalStateException(
                    "slots [" + begin + ", " + (begin + capacity) + ") are not free");
        }
        gaps.remove(gap.getKey());
        if (begin > gap.getKey()) {
            gaps.put(gap.getKey(), begin - gap.getKey());
        }
        int behind = gap.getKey() + gap.getValue() - (begin + capacity);
        if (behind > 0) {
            gaps.put(begin + capacity, behind);
        }
        freeSlots -= capacity;
        return new KvSlotSpan(begin, capacity);
    }

    /** Enlarges a span without moving it, if the slots after it are free. */
    Optional<KvSlotSpan> extend(KvSlotSpan span, int capacity) {
        int more = capacity - span.capacity();
        Integer behind = gaps.get(span.end());
        if (behind == null || behind < more) {
            return Optional.empty();
        }
        allocateAt(span.end(), more);
        return Optional.of(new KvSlotSpan(span.begin(), capacity));
    }

    void release(KvSlotSpan span) {
        if (span.capacity() == 0) {
            return;
        }
        int begin = span.begin();
        int length = span.capacity();
        Map.Entry<Integer, Integer> before = gaps.floorEntry(begin);
        if (before != null && before.getKey() + before.getValue() > begin) {
            throw new IllegalStateException("span " + span + " is free already");
        }
        if (before != null && before.getKey() + before.getValue() == begin) {
            begin = before.getKey();
            length += before.getValue();
        }
        Integer behind = gaps.remove(span.end());
        if (behind != null) {
            length += behind;
        }
        gaps.put(begin, length);
        freeSlots += span.capacity();
    }
}
