package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.plan.SplitOptimizer.Candidate;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** Properties of the choice of a split on any devices. */
class SplitChoicePropertiesTest {
    /** Cuts that differ by less are as good as each other. */
    private static final double TIE = 0.02;

    /** A random model, and devices for it with plenty of memory. */
    private record Case(ModelBlocks model, List<Candidate> devices) {
        static Case of(Random random) {
            int layers = 4 + random.nextInt(10);
            List<LayerRange> blocks = new ArrayList<>();
            List<Integer> kinds = new ArrayList<>();
            int begin = 0;
            while (begin < layers) {
                // Some families keep a few layers together.
                int end = Math.min(layers, begin + 1 + random.nextInt(2));
                blocks.add(new LayerRange(begin, end));
                kinds.add(kinds.isEmpty() ? 0 : random.nextInt(2));
                begin = end;
            }
            int highest = Collections.max(kinds);
            List<Long> bytes = Collections.nCopies(blocks.size(), 10L);
            List<Candidate> devices = new ArrayList<>();
            for (int i = Math.min(blocks.size(), 2 + random.nextInt(3)); i > 0; i--) {
                devices.add(
                        new Candidate(
                                speed(random.nextDouble(0.5, 8), highest + 1),
                                "pool" + i,
                                1L << 40));
            }
            return new Case(new ModelBlocks(blocks, kinds, bytes, "test"), devices);
        }

        private static DeviceSpeed speed(double slowness, int kinds) {
            return new DeviceSpeed(
                    new StepTime(0.2 * slowness, slowness),
                    IntStream.range(0, kinds)
                            .mapToObj(
                                    kind ->
                                            new StepTime(
                                                    (kind + 1) * slowness,
                                                    (kind + 2) * 40 * slowness))
                            .toList());
        }

        /** One device computes in a part of the time. */
        Case faster(int device, double factor) {
            List<Candidate> changed = new ArrayList<>(devices);
            Candidate old = devices.get(device);
            DeviceSpeed speed = old.speed();
            changed.set(
                    device,
                    new Candidate(
                            new DeviceSpeed(
                                    scaled(speed.perShard(), factor),
                                    speed.kinds().stream()
                                            .map(time -> scaled(time, factor))
                                            .toList()),
                            old.pool(),
                            old.freeBytes()));
            return new Case(model, changed);
        }

        Case roomier(int device) {
            List<Candidate> changed = new ArrayList<>(devices);
            Candidate old = devices.get(device);
            changed.set(device, new Candidate(old.speed(), old.pool(), 2 * old.freeBytes()));
            return new Case(model, changed);
        }

        Case withMemory(Random random) {
            return new Case(
                    model,
                    devices.stream()
                            .map(
                                    old ->
                                            new Candidate(
                                                    old.speed(),
                                                    old.pool(),
                                                    random.nextLong(10, 90)))
                            .toList());
        }

        private static StepTime scaled(StepTime time, double factor) {
            return new StepTime(time.decodeMillis() * factor, time.prefillMillis() * factor);
        }

        Optional<List<LayerRange>> choose() {
            return new SplitOptimizer(
                            model,
                            devices,
                            Collections.nCopies(
                                    devices.size(), range -> 10L * (range.end() - range.begin())))
                    .choose();
        }

        double decodeMillis(List<LayerRange> ranges) {
            double sum = 0;
            for (int i = 0; i < ranges.size(); i++) {
                sum += devices.get(i).speed().of(model, ranges.get(i)).decodeMillis();
            }
            return sum;
        }
    }

    @Property(tries = 300)
    void everyLayerIsAssignedOnceAndBlocksStayWhole(@ForAll long seed) {
        Case devices = Case.of(new Random(seed));

        List<LayerRange> ranges = devices.choose().orElseThrow();

        assertEquals(devices.devices().size(), ranges.size(), "seed " + seed);
        int next = 0;
        for (LayerRange range : ranges) {
            assertEquals(next, range.begin(), "seed " + seed);
            next = range.end();
            int end = next;
            assertTrue(
                    devices.model().blocks().stream().anyMatch(block -> block.end() == end),
                    "seed " + seed + ": a block is cut at " + end);
        }
        assertEquals(
                devices.model().blocks().getLast().end(), next, "seed " + seed + ": " + ranges);
    }

    @Property(tries = 300)
    void fasterDeviceMakesNoTokenSlower(@ForAll long seed) {
        Random random = new Random(seed);
        Case before = Case.of(random);
        int device = random.nextInt(before.devices().size());

        Case after = before.faster(device, random.nextDouble(0.1, 1));

        double slow = before.decodeMillis(before.choose().orElseThrow());
        double fast = after.decodeMillis(after.choose().orElseThrow());
        assertTrue(
                fast <= slow * (1 + TIE) + 1e-9,
                "seed " + seed + ": " + slow + " ms became " + fast);
    }

    @Property(tries = 300)
    void moreMemoryMakesNoTokenSlowerAndNothingUnfit(@ForAll long seed) {
        Random random = new Random(seed);
        Case before = Case.of(random).withMemory(random);
        int device = random.nextInt(before.devices().size());

        Case after = before.roomier(device);

        Optional<List<LayerRange>> narrow = before.choose();
        Optional<List<LayerRange>> wide = after.choose();
        if (narrow.isPresent()) {
            assertTrue(
                    after.decodeMillis(wide.orElseThrow())
                            <= before.decodeMillis(narrow.get()) * (1 + TIE) + 1e-9,
                    "seed " + seed);
        }
    }
}
