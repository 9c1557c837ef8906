package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.TensorPlacement;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Compares the placement that {@code --fit} chooses with the fastest of all that fit. */
class PlacementOptimumTest {
    private static final int CASES = 120;
    private static final ModelSettings SETTINGS = ModelSettings.single(256);

    /** Share by which a placement may be slower than the fastest. */
    private static final double SLOWER = 0.1;

    /** A model, a machine that does not hold it as requested, and the cards of the request. */
    private record Case(
            UnevenExpertModel model, TimedMachine machine, List<DeviceReference> cards) {
        static Case random(SplittableRandom random) {
            UnevenExpertModel model = PlacementOptimumTest.model(random);
            List<DeviceReference> cards =
                    IntStream.range(0, random.nextInt(1, 4))
                            .mapToObj(index -> DeviceReference.local("cuda", index))
                            .toList();
            double host = 1000;
            double layer = 8 * model.expertBytes(model.rows().size() - 1) / host;
            double whole = wholeBytes(model);
            Map<DeviceReference, TimedMachine.Device> devices = new HashMap<>();
            for (DeviceReference card : cards) {
                devices.put(
                        card,
                        new TimedMachine.Device(
                                host * random.nextDouble(2, 16),
                                layer * random.nextDouble(0, 0.5),
                                layer * random.nextDouble(0, 0.3),
                                (long)
                                        (whole
                                                * random.nextDouble(0.4, 1.1)
                                                / Math.sqrt(cards.size()))));
            }
            boolean isScarce = random.nextInt(4) == 0;
            devices.put(
                    DeviceReference.PROCESSOR,
                    new TimedMachine.Device(
                            host,
                            layer * random.nextDouble(0, 0.2),
                            0,
                            isScarce ? (long) (whole * random.nextDouble(0.5, 1)) : 1L << 30));
            return new Case(model, new TimedMachine(Map.copyOf(devices)), cards);
        }

        private static long wholeBytes(UnevenExpertModel model) {
            DeviceReference card = DeviceReference.local("cuda", 0);
            TimedMachine plenty =
                    new TimedMachine(Map.of(card, new TimedMachine.Device(1, 1, 1, 1L << 40)));
            Placement whole = Placement.single(card, model.shape().allLayers());
            return SplitMemoryPlan.of(model, whole, plenty::info, SETTINGS)
                    .parts()
                    .getFirst()
                    .memory()
                    .need()
                    .totalBytes();
        }

        boolean fits(Placement placement) {
            if (!cards.stream().allMatch(card -> holdsWeights(card, placement))) {
                return false;
            }
            try {
                SplitMemoryPlan.of(model, placement, machine::info, SETTINGS);
                return true;
            } catch (VarveException e) {
                return false;
            }
        }

        /** A quick test that excludes most placements. */
        private boolean holdsWeights(DeviceReference card, Placement placement) {
            long sum = 0;
            for (Placement.Part part : placement.parts()) {
                for (int layer = part.range().begin(); layer < part.range().end(); layer++) {
                    boolean isMoved =
                            part.tensors()
                                    .deviceOf("blk." + layer + ".ffn_up_exps.weight")
                                    .isPresent();
                    boolean isHere = part.device().equals(card);
                    sum += isHere ? model.denseBytes(layer) : 0;
                    sum +=
                            isHere && !isMoved
                                    ? UnevenExpertModel.EXPERTS * model.expertBytes(layer)
                                    : 0;
                }
            }
            return sum <= machine.devices().get(card).freeBytes();
        }

        double millis(Placement placement) {
            return machine.decodeMillis(model, placement);
        }

        Placement place(PlacementRequest request, ModelSettings settings) {
            return new SplitPlanner(
                            model,
                            () -> ModelBlocks.of(model, request.tensors()),
                            settings,
                            machine::info,
                            device -> {
                                throw new AssertionError("measures " + device);
                            })
                    .place(request)
                    .placement();
        }

        PlacementRequest request() {
            return PlacementRequest.of(cards, new SplitRule.Equal());
        }

        boolean fitsAsRequested() {
            return fits(place(request(), SETTINGS));
        }

        /** Returns the chosen placement with all weights in memory; empty if there is none. */
        Optional<Placement> chosen() {
            PlacementFitter fitter =
                    new PlacementFitter(
                            model,
                            machine::info,
                            this::place,
                            settings -> settings,
                            (device, rules) -> machine.measure(model, device, rules));
            try {
                PlacementFitter.Fitted fitted = fitter.fit(request(), SETTINGS);
                return Optional.of(place(fitted.request(), SETTINGS)).filter(this::fits);
            } catch (VarveException e) {
                return Optional.empty();
            }
        }

        /** Returns the fastest of all placements that use all cards and fit. */
        Optional<Placement> best() {
            List<Placement> all = new ArrayList<>();
            enumerate(List.of(), all);
            record Timed(Placement placement, double millis) {}
            return all.stream()
                    .map(placement -> new Timed(placement, millis(placement)))
                    .sorted((one, other) -> Double.compare(one.millis, other.millis))
                    .map(Timed::placement)
                    .filter(this::fits)
                    .findFirst();
        }

        /** Adds all placements that begin with some parts. */
        private void enumerate(List<Placement.Part> parts, List<Placement> all) {
            int layers = model.rows().size();
            int begin = parts.isEmpty() ? 0 : parts.getLast().range().end();
            if (begin == layers) {
                if (parts.size() >= cards.size()) {
                    all.add(new Placement(parts));
                }
                return;
            }
            for (int end = begin + 1; end <= layers && parts.size() <= cards.size(); end++) {
                LayerRange range = new LayerRange(begin, end);
                boolean isCard = parts.size() < cards.size();
                for (int moved = 0; moved < (isCard ? 1 << end - begin : 1); moved++) {
                    if (isCard && movesNothing(range, moved)) {
                        continue;
                    }
                    List<Placement.Part> longer = new ArrayList<>(parts);
                    longer.add(
                            new Placement.Part(
                                    isCard ? cards.get(parts.size()) : DeviceReference.PROCESSOR,
                                    range,
                                    moved(range, moved)));
                    enumerate(longer, all);
                }
            }
        }

        /** Whether experts of a layer without experts would be moved. */
        private boolean movesNothing(LayerRange range, int moved) {
            return IntStream.range(range.begin(), range.end())
                    .anyMatch(
                            layer ->
                                    (moved >> layer - range.begin() & 1) == 1
                                            && model.rows().get(layer) == 0);
        }

        private static TensorPlacement moved(LayerRange range, int moved) {
            Map<String, String> devices = new HashMap<>();
            IntStream.range(range.begin(), range.end())
                    .filter(layer -> (moved >> layer - range.begin() & 1) == 1)
                    .forEach(layer -> devices.put("blk." + layer + ".ffn_up_exps.weight", "cpu:0"));
            return new TensorPlacement(devices);
        }

        @Override
        public String toString() {
            return model + " on " + machine;
        }
    }

    /** Returns 4 to 6 layers of up to three sizes, as files of mixed types have; of two kinds. */
    private static UnevenExpertModel model(SplittableRandom random) {
        int[] sizes = {32, 37, 47};
        int kinds = random.nextInt(1, 4);
        int layers = random.nextInt(4, 7);
        int dense = random.nextInt(3) == 0 ? random.nextInt(1, 3) : 0;
        List<Integer> rows =
                IntStream.range(0, layers)
                        .mapToObj(layer -> layer < dense ? 0 : sizes[random.nextInt(kinds)])
                        .toList();
        int[] projections = {random.nextInt(64, 1024), random.nextInt(64, 1024)};
        int period = random.nextInt(1, 4);
        return new UnevenExpertModel(
                rows,
                IntStream.range(0, layers)
                        .mapToObj(layer -> projections[layer % period == 0 ? 0 : 1])
                        .toList());
    }

    @Test
    void chosenPlacementIsNearTheOptimum() {
        SplittableRandom random = new SplittableRandom(4711);
        List<String> slower = new ArrayList<>();
        int compared = 0;
        for (int number = 0; number < CASES; number++) {
            Case each = Case.random(random);
            Optional<Placement> best = each.fitsAsRequested() ? Optional.empty() : each.best();
            if (best.isEmpty()) {
                continue;
            }
            compared++;
            Optional<Placement> chosen = each.chosen();
            double ratio =
                    chosen.map(each::millis).orElse(Double.POSITIVE_INFINITY)
                            / each.millis(best.get());
            if (ratio > 1 + SLOWER) {
                slower.add(
                        String.format(
                                Locale.ROOT,
                                "%d: %.2f times the time of %s%n%s%n%s",
                                number,
                                ratio,
                                best.get(),
                                chosen,
                                each));
            }
        }

        assertEquals(List.of(), slower, slower.size() + " of " + compared);
        assertTrue(compared > CASES / 3, compared + " of " + CASES + " can be placed");
    }
}
