package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.plan.SplitOptimizer.Candidate;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class SplitOptimizerTest {
    /** Layers of two kinds in turn, the last a third kind; sizes 10, 20 and 30. */
    private static ModelBlocks model(int layers) {
        List<LayerRange> blocks =
                IntStream.range(0, layers).mapToObj(i -> new LayerRange(i, i + 1)).toList();
        List<Integer> kinds =
                IntStream.range(0, layers).mapToObj(i -> i == layers - 1 ? 2 : i % 2).toList();
        return new ModelBlocks(
                blocks, kinds, kinds.stream().map(kind -> 10L * (kind + 1)).toList(), "test");
    }

    private static Candidate device(String pool, double slowness, long free) {
        return new Candidate(
                new DeviceSpeed(
                        new StepTime(0.1 * slowness, 0),
                        List.of(
                                new StepTime(slowness, 100 * slowness),
                                new StepTime(2 * slowness, 150 * slowness),
                                new StepTime(3 * slowness, 300 * slowness))),
                pool,
                free);
    }

    private static long bytes(ModelBlocks model, LayerRange range) {
        return IntStream.range(range.begin(), range.end())
                .mapToLong(layer -> model.bytes().get(layer))
                .sum();
    }

    private static SplitOptimizer chooser(ModelBlocks model, List<Candidate> devices) {
        return new SplitOptimizer(
                model, devices, Collections.nCopies(devices.size(), range -> bytes(model, range)));
    }

    private static String choose(ModelBlocks model, List<Candidate> devices) {
        return chooser(model, devices)
                .choose()
                .map(ranges -> ranges.stream().map(Object::toString).collect(Collectors.joining()))
                .orElse("nothing fits");
    }

    @Test
    void fasterDeviceTakesAllButOneLayer() {
        assertEquals(
                "[0, 9)[9, 10)",
                choose(model(10), List.of(device("a", 1, 1000), device("b", 9, 1000))));
        assertEquals(
                "[0, 1)[1, 10)",
                choose(model(10), List.of(device("a", 9, 1000), device("b", 1, 1000))));
    }

    @Test
    void fasterDeviceIsFilledToItsMemory() {
        // 10 + 20 + 10 + 20 fit 65, not the next 10.
        assertEquals(
                "[0, 4)[4, 10)",
                choose(model(10), List.of(device("a", 1, 65), device("b", 9, 1000))));
    }

    @Test
    void equalDevicesShareTheMemoryEvenly() {
        assertEquals(
                "[0, 5)[5, 10)",
                choose(model(10), List.of(device("host", 1, 1000), device("host", 1, 1000))));
    }

    @Test
    void devicesOfOneMemoryAreAddedUp() {
        // 160 in all: fits 160 together, not 159, although each half fits alone.
        assertEquals(
                "[0, 5)[5, 10)",
                choose(model(10), List.of(device("host", 1, 160), device("host", 1, 160))));
        assertEquals(
                "nothing fits",
                choose(model(10), List.of(device("host", 1, 159), device("host", 1, 159))));
    }

    @Test
    void ofEqualDecodeTimesTheBetterPrefillWins() {
        // Prefill overlaps: 750 and 650 ms are better than 600 and 800 ms.
        assertEquals(
                "[0, 6)[6, 10)",
                choose(model(10), List.of(device("a", 1, 1000), device("b", 1, 1000))));
    }

    @Test
    void everyDeviceGetsALayer() {
        assertEquals(
                "[0, 1)[1, 2)[2, 3)",
                choose(
                        model(3),
                        List.of(device("a", 9, 99), device("b", 1, 99), device("c", 5, 99))));
        assertEquals(
                "nothing fits", choose(model(1), List.of(device("a", 9, 99), device("b", 1, 99))));
    }

    @Property(tries = 300)
    void noFittingSplitDecodesFasterByMoreThanTheTie(@ForAll long seed) {
        Random random = new Random(seed);
        ModelBlocks model = model(3 + random.nextInt(8));
        List<Candidate> devices = new ArrayList<>();
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            devices.add(
                    device(
                            "pool" + random.nextInt(3),
                            random.nextDouble(0.5, 8),
                            random.nextLong(20, 160)));
        }

        Optional<List<LayerRange>> chosen = chooser(model, devices).choose();

        double best = bestByTrying(model, devices, new ArrayList<>(), 0);
        assertEquals(best < Double.MAX_VALUE, chosen.isPresent(), "seed " + seed);
        chosen.ifPresent(
                ranges -> {
                    assertTrue(fits(model, devices, ranges), "seed " + seed);
                    double time = decode(model, devices, ranges);
                    assertTrue(time <= best * 1.02 + 1e-9, "seed " + seed + ": " + time);
                });
    }

    private static double bestByTrying(
            ModelBlocks model, List<Candidate> devices, List<LayerRange> ranges, int begin) {
        int layers = model.blocks().size();
        if (ranges.size() == devices.size()) {
            return begin == layers && fits(model, devices, ranges)
                    ? decode(model, devices, ranges)
                    : Double.MAX_VALUE;
        }
        double best = Double.MAX_VALUE;
        for (int end = begin + 1; end <= layers; end++) {
            List<LayerRange> longer = new ArrayList<>(ranges);
            longer.add(new LayerRange(begin, end));
            best = Math.min(best, bestByTrying(model, devices, longer, end));
        }
        return best;
    }

    private static double decode(
            ModelBlocks model, List<Candidate> devices, List<LayerRange> ranges) {
        double sum = 0;
        for (int i = 0; i < ranges.size(); i++) {
            sum += devices.get(i).speed().of(model, ranges.get(i)).decodeMillis();
        }
        return sum;
    }

    private static boolean fits(
            ModelBlocks model, List<Candidate> devices, List<LayerRange> ranges) {
        return devices.stream()
                .allMatch(
                        device -> {
                            long sum = 0;
                            long free = Long.MAX_VALUE;
                            for (int i = 0; i < ranges.size(); i++) {
                                if (devices.get(i).pool().equals(device.pool())) {
                                    sum += bytes(model, ranges.get(i));
                                    free = Math.min(free, devices.get(i).freeBytes());
                                }
                            }
                            return sum <= free;
                        });
    }
}
