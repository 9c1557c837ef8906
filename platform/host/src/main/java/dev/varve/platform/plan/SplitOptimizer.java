package dev.varve.platform.plan;

import dev.varve.api.model.LayerRange;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Chooses the split with the shortest time per decoded token that fits the memory. Of splits that
 * differ by less than {@value #TIE} of it, it takes the one with the better prefill, and of those
 * the one whose largest part is the smallest.
 *
 * <p>Devices are filled in order (dynamic programming): the state for the first d devices with the
 * first b blocks is a list of partial splits of which none is worse than another in every respect.
 */
final class SplitOptimizer {
    /** Share of the best time within which splits count as equal. */
    private static final double TIE = 0.02;

    /** Partial splits kept per state; reached only if many memory pools are nearly full. */
    private static final int MOST_CUTS = 48;

    /**
     * A device for the split.
     *
     * @param pool memory and processor that it shares with devices of the same pool name
     * @param freeBytes free bytes of that pool
     */
    record Candidate(DeviceSpeed speed, String pool, long freeBytes) {}

    /** A partial split: the first blocks on the first devices. */
    private record Cut(
            List<LayerRange> ranges,
            double decodeMillis,
            double[] prefillMillis,
            long[] bytes,
            long largest) {
        double slowestPool() {
            double slowest = 0;
            for (double time : prefillMillis) {
                slowest = Math.max(slowest, time);
            }
            return slowest;
        }

        boolean isNoWorseThan(Cut other) {
            boolean noWorse = decodeMillis <= other.decodeMillis && largest <= other.largest;
            for (int pool = 0; noWorse && pool < bytes.length; pool++) {
                noWorse =
                        prefillMillis[pool] <= other.prefillMillis[pool]
                                && bytes[pool] <= other.bytes[pool];
            }
            return noWorse;
        }
    }

    private final ModelBlocks blocks;
    private final List<Candidate> devices;
    private final List<Function<LayerRange, long[]>> bytes;
    private final List<Integer> pools = new ArrayList<>();
    private final long[] free;

    /**
     * @param bytes per device the minimum memory of a range there
     */
    SplitOptimizer(
            ModelBlocks blocks, List<Candidate> devices, List<ToLongFunction<LayerRange>> bytes) {
        this(
                blocks,
                devices,
                IntStream.range(0, devices.size())
                        .mapToObj(i -> in(devices.get(i).pool(), bytes.get(i)))
                        .toList(),
                Map.of());
    }

    /**
     * @param needs per device the minimum memory of a range there, by the name of the pool: some
     *     weights of a range may be in another pool than that of its device
     * @param others free bytes of pools that weights of layers use, by name
     */
    SplitOptimizer(
            ModelBlocks blocks,
            List<Candidate> devices,
            List<Needs> needs,
            Map<String, Long> others) {
        this.blocks = blocks;
        this.devices = List.copyOf(devices);
        Map<String, Long> least = new LinkedHashMap<>();
        devices.forEach(device -> least.merge(device.pool(), device.freeBytes(), Math::min));
        others.forEach((pool, bytes) -> least.merge(pool, bytes, Math::min));
        List<String> names = List.copyOf(least.keySet());
        free = least.values().stream().mapToLong(Long::longValue).toArray();
        devices.forEach(device -> pools.add(names.indexOf(device.pool())));
        bytes = needs.stream().map(need -> memoized(need, names)).toList();
    }

    /** Minimum memory of a range on a device, by the name of the pool. */
    @FunctionalInterface
    interface Needs {
        Map<String, Long> of(LayerRange range);
    }

    private static Needs in(String pool, ToLongFunction<LayerRange> bytes) {
        return range -> Map.of(pool, bytes.applyAsLong(range));
    }

    private static Function<LayerRange, long[]> memoized(Needs needs, List<String> names) {
        Map<LayerRange, long[]> known = new HashMap<>();
        return range ->
                known.computeIfAbsent(
                        range,
                        each -> {
                            Map<String, Long> bytes = needs.of(each);
                            return names.stream()
                                    .mapToLong(name -> bytes.getOrDefault(name, 0L))
                                    .toArray();
                        });
    }

    /** Returns the ranges, one per device; empty if no split fits. */
    Optional<List<LayerRange>> choose() {
        int count = blocks.blocks().size();
        List<List<Cut>> states = new ArrayList<>();
        for (int end = 0; end <= count; end++) {
            states.add(
                    end == 0
                            ? List.of(
                                    new Cut(
                                            List.of(),
                                            0,
                                            new double[free.length],
                                            new long[free.length],
                                            0))
                            : List.of());
        }
        for (int device = 0; device < devices.size(); device++) {
            List<List<Cut>> next = new ArrayList<>();
            next.add(List.of());
            for (int end = 1; end <= count; end++) {
                List<Cut> kept = new ArrayList<>();
                for (int begin = 0; begin < end; begin++) {
                    for (Cut cut : states.get(begin)) {
                        extend(cut, device, blocks.range(begin, end - 1))
                                .ifPresent(longer -> keep(kept, longer));
                    }
                }
                next.add(kept);
            }
            states = next;
        }
        return best(states.get(count));
    }

    private Optional<Cut> extend(Cut cut, int device, LayerRange range) {
        int pool = pools.get(device);
        long[] need = bytes.get(device).apply(range);
        long[] taken = cut.bytes.clone();
        for (int i = 0; i < taken.length; i++) {
            taken[i] += need[i];
            if (taken[i] > free[i]) {
                return Optional.empty();
            }
        }
        StepTime time = devices.get(device).speed().of(blocks, range);
        double[] prefill = cut.prefillMillis.clone();
        prefill[pool] += time.prefillMillis();
        List<LayerRange> ranges = new ArrayList<>(cut.ranges);
        ranges.add(range);
        return Optional.of(
                new Cut(
                        ranges,
                        cut.decodeMillis + time.decodeMillis(),
                        prefill,
                        taken,
                        Math.max(cut.largest, need[pool])));
    }

    private static void keep(List<Cut> kept, Cut fresh) {
        for (Cut cut : kept) {
            if (cut.isNoWorseThan(fresh)) {
                return;
            }
        }
        kept.removeIf(fresh::isNoWorseThan);
        kept.add(fresh);
        if (kept.size() > MOST_CUTS) {
            kept.remove(
                    kept.stream().max(Comparator.comparingDouble(Cut::decodeMillis)).orElseThrow());
        }
    }

    private static Optional<List<LayerRange>> best(List<Cut> cuts) {
        double decode = cuts.stream().mapToDouble(Cut::decodeMillis).min().orElse(0);
        List<Cut> fast =
                cuts.stream().filter(cut -> cut.decodeMillis <= decode * (1 + TIE)).toList();
        double prefill = fast.stream().mapToDouble(Cut::slowestPool).min().orElse(0);
        return fast.stream()
                .filter(cut -> cut.slowestPool() <= prefill * (1 + TIE))
                .min(Comparator.comparingLong(Cut::largest))
                .map(Cut::ranges);
    }
}
