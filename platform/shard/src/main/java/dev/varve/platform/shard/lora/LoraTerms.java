package dev.varve.platform.shard.lora;

import dev.varve.api.model.LayerSplitAdapter;

import java.util.List;
import java.util.Map;

/**
 * The terms that a graph adds to products with adapted weights.
 *
 * @param byWeight terms by the whole name of the weight, in the order of the adapters
 */
public record LoraTerms(Map<String, List<LoraTerm>> byWeight) {
    /** Terms of a model without adapters. */
    public static final LoraTerms NONE = new LoraTerms(Map.of());

    /** Copies the map. */
    public LoraTerms {
        byWeight = Map.copyOf(byWeight);
    }

    /** Returns the terms of a model; none if it has no adapters. */
    public static LoraTerms of(LayerSplitAdapter model) {
        return model instanceof AdaptedModel adapted ? adapted.terms() : NONE;
    }

    /** Returns the terms of a weight by its whole name. */
    public List<LoraTerm> of(String weight) {
        return byWeight.getOrDefault(weight, List.of());
    }

    /** Returns whether the adapters change a weight. */
    public boolean change(String weight) {
        return byWeight.containsKey(weight);
    }

    /** Number of terms of all weights. */
    public int count() {
        return byWeight.values().stream().mapToInt(List::size).sum();
    }
}
