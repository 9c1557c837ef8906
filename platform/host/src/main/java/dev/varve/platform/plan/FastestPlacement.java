package dev.varve.platform.plan;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCacheShare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Finds the placement with the fastest decode: measures the devices with a few layers, then chooses
 * the layers of each device, those of the processor, and the layers whose experts are there.
 */
final class FastestPlacement {
    private static final DeviceReference PROCESSOR = DeviceReference.PROCESSOR;

    /** Slower by less than that are placements with simpler flags. */
    private static final double TIE = 1.01;

    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final PlacementTimes times;
    private final TensorRules elsewhere;

    /**
     * A placement in the form of flags.
     *
     * @param flags their text
     */
    record Found(String flags, PlacementRequest request) {}

    /**
     * Measures the devices of a request and the processor.
     *
     * @param devices properties of each device, including its free memory
     * @param speeds measures a device with rules for experts
     * @throws dev.varve.api.VarveException if a device cannot be measured
     */
    FastestPlacement(
            LayerSplitAdapter model,
            Function<DeviceReference, DeviceInfo> devices,
            List<DeviceReference> requested,
            BiFunction<DeviceReference, TensorRules, DeviceSpeed> speeds) {
        this.model = model;
        this.devices = devices;
        elsewhere =
                layersWithExperts().isEmpty()
                        ? TensorRules.NONE
                        : rules(Setting.CPU_MOE, new TensorRule.Layers.All());
        TreeSet<DeviceReference> all =
                new TreeSet<>(Comparator.comparing(DeviceReference::toString));
        all.addAll(requested);
        all.add(PROCESSOR);
        times = PlacementTimes.measure(model, List.copyOf(all), elsewhere, speeds);
    }

    private static TensorRules rules(Setting setting, TensorRule.Layers layers) {
        return new TensorRules(List.of(new TensorRule.Experts(setting, layers, PROCESSOR)));
    }

    /** Returns the time of a token with a placement on the measured devices. */
    double decodeMillis(Placement placement) {
        return times.decodeMillis(placement);
    }

    /**
     * Returns the fastest placement that fits by an estimate of its bytes.
     *
     * @param share share of the free memory to use
     */
    Optional<Found> find(PlacementRequest request, ModelSettings settings, double share) {
        return new PlacementStages(model, devices, settings, times, elsewhere)
                .optimizer(request.devices(), PROCESSOR, share)
                .choose()
                .map(choice -> found(request, choice));
    }

    private Found found(PlacementRequest request, PlacementOptimizer.Choice choice) {
        List<DeviceReference> on = new ArrayList<>();
        List<Double> layers = new ArrayList<>();
        List<DeviceReference> deviceOfBlock = new ArrayList<>();
        for (int i = 0; i < choice.counts().size(); i++) {
            DeviceReference device =
                    i < request.devices().size() ? request.devices().get(i) : PROCESSOR;
            int begin = deviceOfBlock.size();
            int end = begin + choice.counts().get(i);
            for (int block = begin; block < end; block++) {
                deviceOfBlock.add(device);
            }
            if (end > begin) {
                on.add(device);
                layers.add(
                        (double) times.blocks().get(end - 1).end()
                                - times.blocks().get(begin).begin());
            }
        }
        PlacementRequest split =
                on.size() == 1 ? request : request.on(on, new SplitRule.Weights(layers));
        String flags =
                on.size() == 1
                        ? ""
                        : Setting.DEVICES
                                + " "
                                + String.join(",", on.stream().map(String::valueOf).toList())
                                + " "
                                + Setting.LAYER_SPLIT
                                + " "
                                + String.join(
                                        ",",
                                        layers.stream()
                                                .map(count -> String.valueOf(count.intValue()))
                                                .toList());
        TensorRules rules = rules(deviceOfBlock, simplified(choice, deviceOfBlock));
        return new Found((flags + text(rules)).strip(), split.with(rules));
    }

    /**
     * Moves the experts of the first blocks of each device instead of those of others with the same
     * bytes, if that is as fast: the flags are simpler then.
     */
    private List<Boolean> simplified(
            PlacementOptimizer.Choice choice, List<DeviceReference> deviceOfBlock) {
        Map<String, Integer> counts = new HashMap<>();
        List<String> groups = new ArrayList<>();
        for (int block = 0; block < deviceOfBlock.size(); block++) {
            groups.add(deviceOfBlock.get(block) + " " + expertBytes(times.blocks().get(block)));
            counts.merge(groups.get(block), choice.moved().get(block) ? 1 : 0, Integer::sum);
        }
        List<Boolean> first = new ArrayList<>();
        for (String group : groups) {
            first.add(counts.merge(group, -1, Integer::sum) >= 0);
        }
        boolean isAsFast =
                millis(first, deviceOfBlock) <= TIE * millis(choice.moved(), deviceOfBlock);
        return isAsFast ? first : choice.moved();
    }

    private double millis(List<Boolean> moved, List<DeviceReference> deviceOfBlock) {
        double sum = 0;
        for (int block = 0; block < moved.size(); block++) {
            PlacementTimes.OnDevice on = times.devices().get(deviceOfBlock.get(block));
            sum += (moved.get(block) ? on.movedMillis() : on.millis()).get(block);
        }
        return sum;
    }

    private long expertBytes(LayerRange range) {
        return ExpertCacheShare.expertBytes(model.tensors(range));
    }

    private TreeSet<Integer> layersWithExperts() {
        TreeSet<Integer> layers = new TreeSet<>();
        IntStream.range(0, model.shape().layerCount())
                .filter(layer -> expertBytes(new LayerRange(layer, layer + 1)) > 0)
                .forEach(layers::add);
        return layers;
    }

    /** Returns the rules that move the experts of some blocks, in the simplest form. */
    private TensorRules rules(List<DeviceReference> deviceOfBlock, List<Boolean> moved) {
        TreeSet<Integer> kept = new TreeSet<>();
        TreeSet<Integer> away = new TreeSet<>();
        TreeSet<Integer> experts = layersWithExperts();
        for (int block = 0; block < moved.size(); block++) {
            LayerRange range = times.blocks().get(block);
            for (int layer : experts.subSet(range.begin(), range.end())) {
                if (moved.get(block)) {
                    away.add(layer);
                } else if (!deviceOfBlock.get(block).equals(PROCESSOR)) {
                    kept.add(layer);
                }
            }
        }
        if (away.isEmpty()) {
            return TensorRules.NONE;
        }
        if (kept.isEmpty()) {
            return elsewhere;
        }
        if (kept.first() > away.last()) {
            return rules(Setting.N_CPU_MOE, new TensorRule.Layers.First(away.last() + 1));
        }
        String expression = new ExpertLayerChoice(List.copyOf(away), 0).expression();
        return new TensorRules(
                List.of(new TensorRule.Named(Pattern.compile(expression), PROCESSOR)));
    }

    private static String text(TensorRules rules) {
        return rules.isEmpty() ? "" : " " + text(rules.rules().getFirst());
    }

    private static String text(TensorRule rule) {
        return switch (rule) {
            case TensorRule.Named named -> Setting.OVERRIDE_TENSOR + " '" + named + "'";
            case TensorRule.Experts(var setting, TensorRule.Layers.First(int count), var on) ->
                    setting + " " + count;
            case TensorRule.Experts experts -> experts.setting().toString();
        };
    }
}
