package dev.varve.platform.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The first blocks of a model on the first stages.
 *
 * @param before the same without its last block; empty if it has none
 * @param millis time of a token so far
 * @param bytes bytes in each memory
 * @param stage number of the stage with the last block
 * @param isMoved whether the experts of the last block are on the processor
 */
record PartialPlacement(
        Optional<PartialPlacement> before,
        double millis,
        long[] bytes,
        int stage,
        boolean isMoved) {
    /**
     * Returns those of which none is worse than another in time and in all of some memories, by
     * time.
     *
     * @param most number of them; a longer list is thinned evenly, and keeps its ends
     */
    static List<PartialPlacement> best(List<PartialPlacement> all, int[] memories, int most) {
        List<PartialPlacement> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingDouble(PartialPlacement::millis));
        List<PartialPlacement> best =
                memories.length <= 2 ? bestOfTwo(sorted, memories) : bestOfAny(sorted, memories);
        if (best.size() <= most) {
            return best;
        }
        List<PartialPlacement> thinned = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            thinned.add(best.get((int) ((long) i * (best.size() - 1) / (most - 1))));
        }
        return thinned;
    }

    private static List<PartialPlacement> bestOfAny(List<PartialPlacement> sorted, int[] memories) {
        List<PartialPlacement> best = new ArrayList<>();
        for (PartialPlacement each : sorted) {
            if (best.stream().noneMatch(faster -> faster.isNoHeavierThan(each, memories))) {
                best.add(each);
            }
        }
        return best;
    }

    private boolean isNoHeavierThan(PartialPlacement other, int[] memories) {
        for (int memory : memories) {
            if (bytes[memory] > other.bytes[memory]) {
                return false;
            }
        }
        return true;
    }

    /** Keeps the least bytes in the second memory for any bytes in the first. */
    private static List<PartialPlacement> bestOfTwo(List<PartialPlacement> sorted, int[] memories) {
        List<PartialPlacement> best = new ArrayList<>();
        TreeMap<Long, Long> least = new TreeMap<>();
        for (PartialPlacement each : sorted) {
            long first = memories.length < 1 ? 0 : each.bytes[memories[0]];
            long second = memories.length < 2 ? 0 : each.bytes[memories[1]];
            Map.Entry<Long, Long> lighter = least.floorEntry(first);
            if (lighter == null || lighter.getValue() > second) {
                best.add(each);
                least.tailMap(first).values().removeIf(bytes -> bytes >= second);
                least.put(first, second);
            }
        }
        return best;
    }
}
