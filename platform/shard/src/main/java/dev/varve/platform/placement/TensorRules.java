package dev.varve.platform.placement;

import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertWeights;
import dev.varve.platform.shard.TensorPlacement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operator's rules for weights within layers: which device holds them, if it is not that of
 * their shard. Only the matrices of experts can be on another device, each with its biases and
 * scales.
 *
 * @param rules in their order; the first that matches a weight counts
 */
public record TensorRules(List<TensorRule> rules) {
    /** All weights are on the device of their shard. */
    public static final TensorRules NONE = new TensorRules(List.of());

    private static final Pattern LAYER = Pattern.compile("blk\\.([0-9]{1,6})\\..*");

    /** Copies the rules. */
    public TensorRules {
        rules = List.copyOf(rules);
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /**
     * Returns the rules that place some weight of another model than the one that they were written
     * for, such as its block for multi-token prediction.
     */
    public TensorRules within(LayerSplitAdapter other) {
        TensorSelection all = other.tensors(other.shape().allLayers());
        boolean hasExperts = !ExpertWeights.of(all).matrices().isEmpty();
        return new TensorRules(
                rules.stream()
                        .filter(
                                rule ->
                                        switch (rule) {
                                            case TensorRule.Named named -> matches(named, all);
                                            case TensorRule.Experts experts -> hasExperts;
                                        })
                        .toList());
    }

    private static boolean matches(TensorRule.Named rule, TensorSelection all) {
        return all.entries().stream()
                .anyMatch(entry -> rule.names().matcher(entry.tensor().name()).find());
    }

    /**
     * Applies the rules to a placement.
     *
     * @throws IllegalArgumentException that begins with a setting if a rule matches no weight of
     *     the model, or one that cannot be on another device
     */
    public Placement apply(Placement placement, LayerSplitAdapter model) {
        if (isEmpty()) {
            return placement;
        }
        List<Placement.Part> parts = new ArrayList<>();
        placement.parts().forEach(part -> parts.add(apply(part, model)));
        return new Placement(parts);
    }

    /**
     * Applies the rules to one shard.
     *
     * @throws IllegalArgumentException likewise
     */
    public Placement.Part apply(Placement.Part part, LayerSplitAdapter model) {
        if (isEmpty()) {
            return part;
        }
        return new Placement.Part(
                part.device(),
                part.range(),
                placed(part, model.tensors(part.range()), devices(model)));
    }

    /**
     * Returns the device that the rules choose for each weight, by its name; those without a rule
     * are missing.
     *
     * @throws IllegalArgumentException likewise
     */
    public Map<String, DeviceReference> devices(LayerSplitAdapter model) {
        Map<String, DeviceReference> chosen = new LinkedHashMap<>();
        if (isEmpty()) {
            return chosen;
        }
        TensorSelection all = model.tensors(model.shape().allLayers());
        ExpertWeights weights = ExpertWeights.of(all);
        for (TensorRule rule : rules) {
            switch (rule) {
                case TensorRule.Named named -> choose(named, all, chosen);
                case TensorRule.Experts experts -> {
                    requireExperts(experts, weights, model);
                    choose(experts, weights, chosen);
                }
            }
        }
        return chosen;
    }

    private static void requireExperts(
            TensorRule rule, ExpertWeights weights, LayerSplitAdapter model) {
        if (weights.matrices().isEmpty()) {
            throw new IllegalArgumentException(
                    rule.setting()
                            + ": the model has no experts (architecture "
                            + model.shape().architecture()
                            + ")");
        }
    }

    private static void choose(
            TensorRule.Named rule, TensorSelection all, Map<String, DeviceReference> chosen) {
        boolean found = false;
        for (TensorSelection.Entry entry : all.entries()) {
            String name = entry.tensor().name();
            if (rule.names().matcher(name).find()) {
                found = true;
                chosen.putIfAbsent(name, rule.device());
            }
        }
        if (!found) {
            throw new IllegalArgumentException(
                    rule.setting() + ": " + rule + ": no weight of the model has such a name");
        }
    }

    private static void choose(
            TensorRule.Experts rule, ExpertWeights weights, Map<String, DeviceReference> chosen) {
        Set<Integer> layers = new HashSet<>();
        int most = most(rule.layers(), weights);
        for (String matrix : weights.matrices()) {
            int layer = layer(matrix);
            boolean counts =
                    switch (rule.layers()) {
                        case TensorRule.Layers.All() -> true;
                        case TensorRule.Layers.First(int count) -> layer < count;
                        case TensorRule.Layers.Next _, TensorRule.Layers.NextShare _ ->
                                layers.contains(layer)
                                        || layers.size() < most && !chosen.containsKey(matrix);
                    };
            if (counts && chosen.putIfAbsent(matrix, rule.device()) == null) {
                layers.add(layer);
            }
        }
    }

    /** Returns the most layers that a rule may choose. */
    private static int most(TensorRule.Layers layers, ExpertWeights weights) {
        return switch (layers) {
            case TensorRule.Layers.Next(int count) -> count;
            case TensorRule.Layers.NextShare(double share) -> {
                long all = weights.matrices().stream().map(TensorRules::layer).distinct().count();
                yield Math.max(1, (int) Math.round(share * all));
            }
            case TensorRule.Layers.All _, TensorRule.Layers.First _ -> Integer.MAX_VALUE;
        };
    }

    private static int layer(String tensor) {
        Matcher name = LAYER.matcher(tensor);
        return name.matches() ? Integer.parseInt(name.group(1)) : -1;
    }

    private static TensorPlacement placed(
            Placement.Part part, TensorSelection selection, Map<String, DeviceReference> chosen) {
        ExpertWeights weights = ExpertWeights.of(selection);
        Map<String, String> devices = new HashMap<>();
        for (TensorSelection.Entry entry : selection.entries()) {
            String name = entry.tensor().name();
            Optional<DeviceReference> device =
                    Optional.ofNullable(chosen.get(weights.matrixOf(name).orElse(name)));
            if (device.isPresent() && !device.get().device().equals(part.device().device())) {
                requireMovable(name, device.get(), weights, part);
                devices.put(name, device.get().device());
            }
        }
        return new TensorPlacement(devices);
    }

    private static void requireMovable(
            String name, DeviceReference device, ExpertWeights weights, Placement.Part part) {
        if (weights.matrixOf(name).isEmpty()) {
            throw new IllegalArgumentException(
                    Setting.OVERRIDE_TENSOR
                            + ": "
                            + name
                            + " cannot be on "
                            + device
                            + " while its layer is on "
                            + part.device()
                            + ": only matrices of experts can, such as blk.0.ffn_up_exps.weight;"
                            + " use a narrower expression, or place whole layers with "
                            + Setting.DEVICES);
        }
    }
}
