package dev.varve.platform.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
     * @param most number of them; of a longer list, those with similar bytes are left out
     */
    static List<PartialPlacement> best(List<PartialPlacement> all, int[] memories, int most) {
        List<PartialPlacement> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingDouble(PartialPlacement::millis));
        List<PartialPlacement> best =
                memories.length <= 2 ? bestOfTwo(sorted, memories) : bestOfAny(sorted, memories);
        return best.size() <= most ? best : thinned(best, memories, most);
    }

    /** Keeps the fastest of each cell of a grid over the bytes in the memories. */
    private static List<PartialPlacement> thinned(
            List<PartialPlacement> best, int[] memories, int most) {
        int cells = (int) Math.pow(most, 1.0 / memories.length);
        List<Cells> axes = IntStream.of(memories).mapToObj(each -> Cells.of(best, each)).toList();
        Map<List<Long>, PartialPlacement> fastest = new LinkedHashMap<>();
        for (PartialPlacement each : best) {
            List<Long> cell = axes.stream().map(axis -> axis.of(each, cells)).toList();
            fastest.putIfAbsent(cell, each);
        }
        return List.copyOf(fastest.values());
    }

    /** Equal parts of the range of the bytes in a memory. */
    private record Cells(int memory, long least, long most) {
        static Cells of(List<PartialPlacement> all, int memory) {
            LongSummaryStatistics bytes =
                    all.stream().collect(Collectors.summarizingLong(each -> each.bytes[memory]));
            return new Cells(memory, bytes.getMin(), bytes.getMax());
        }

        long of(PartialPlacement each, int count) {
            return (each.bytes[memory] - least) * count / (most - least + 1);
        }
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
