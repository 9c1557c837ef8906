package dev.varve.platform.placement;

import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.TensorPlacement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
    private static final String WEIGHT = ".weight";
    private static final List<String> COMPANIONS = List.of(".bias", ".scale");

    /** Copies the rules. */
    public TensorRules {
        rules = List.copyOf(rules);
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return rules.isEmpty();
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
        Weights weights = Weights.of(model.tensors(model.shape().allLayers()));
        return new Placement.Part(
                part.device(),
                part.range(),
                placed(part, model.tensors(part.range()), weights, choose(weights, model)));
    }

    /**
     * Returns the device that the rules choose for each weight, by its name; those without a rule
     * are missing.
     *
     * @throws IllegalArgumentException likewise
     */
    public Map<String, DeviceReference> devices(LayerSplitAdapter model) {
        return isEmpty()
                ? Map.of()
                : choose(Weights.of(model.tensors(model.shape().allLayers())), model);
    }

    private Map<String, DeviceReference> choose(Weights weights, LayerSplitAdapter model) {
        Map<String, DeviceReference> chosen = new LinkedHashMap<>();
        for (TensorRule rule : rules) {
            if (rule instanceof TensorRule.Experts experts) {
                if (weights.matrices().isEmpty()) {
                    throw new IllegalArgumentException(
                            rule.setting()
                                    + ": the model has no experts (architecture "
                                    + model.shape().architecture()
                                    + ")");
                }
                choose(experts, weights, chosen);
            } else if (rule instanceof TensorRule.Named named) {
                choose(named, weights, chosen);
            }
        }
        return chosen;
    }

    private static void choose(
            TensorRule.Named rule, Weights weights, Map<String, DeviceReference> chosen) {
        Set<String> found = new HashSet<>();
        for (String name : weights.all()) {
            if (rule.names().matcher(name).find()) {
                found.add(name);
                chosen.putIfAbsent(name, rule.device());
            }
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    rule.setting() + ": " + rule + ": no weight of the model has such a name");
        }
    }

    private static void choose(
            TensorRule.Experts rule, Weights weights, Map<String, DeviceReference> chosen) {
        Set<Integer> layers = new HashSet<>();
        for (String matrix : weights.matrices()) {
            int layer = layer(matrix);
            boolean counts =
                    switch (rule.layers()) {
                        case TensorRule.Layers.All() -> true;
                        case TensorRule.Layers.First(int count) -> layer < count;
                        case TensorRule.Layers.Next(int count) ->
                                layers.contains(layer)
                                        || layers.size() < count && !chosen.containsKey(matrix);
                    };
            if (counts && chosen.putIfAbsent(matrix, rule.device()) == null) {
                layers.add(layer);
            }
        }
    }

    private static int layer(String tensor) {
        Matcher name = LAYER.matcher(tensor);
        return name.matches() ? Integer.parseInt(name.group(1)) : -1;
    }

    private TensorPlacement placed(
            Placement.Part part,
            TensorSelection selection,
            Weights weights,
            Map<String, DeviceReference> chosen) {
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
            String name, DeviceReference device, Weights weights, Placement.Part part) {
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

    /**
     * The weights of a model.
     *
     * @param all names, in the order of the selection
     * @param matrices names of the matrices of experts
     */
    private record Weights(List<String> all, Set<String> matrices) {
        static Weights of(TensorSelection selection) {
            List<String> all = new ArrayList<>();
            Set<String> matrices = new LinkedHashSet<>();
            for (TensorSelection.Entry entry : selection.entries()) {
                GgufTensor tensor = entry.tensor();
                all.add(tensor.name());
                if (entry.use() == TensorUse.EXPERT_MATMUL) {
                    matrices.add(tensor.name());
                }
            }
            return new Weights(all, matrices);
        }

        /** Returns the matrix to which a weight belongs: itself, or that of a bias or scale. */
        Optional<String> matrixOf(String name) {
            if (matrices.contains(name)) {
                return Optional.of(name);
            }
            return COMPANIONS.stream()
                    .filter(name::endsWith)
                    .map(end -> name.substring(0, name.length() - end.length()) + WEIGHT)
                    .filter(matrices::contains)
                    .findFirst();
        }
    }
}
