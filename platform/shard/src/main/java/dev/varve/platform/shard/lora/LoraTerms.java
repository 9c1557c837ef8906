package dev.varve.platform.shard.lora;

import dev.varve.api.model.LayerSplitAdapter;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The terms that a graph adds to products with adapted weights.
 *
 * @param byWeight terms by the whole name of the weight, in the order of the adapters
 * @param loaded scale with which each adapter was loaded
 */
public record LoraTerms(Map<String, List<LoraTerm>> byWeight, List<Float> loaded) {
    /** Terms of a model without adapters. */
    public static final LoraTerms NONE = new LoraTerms(Map.of(), List.of());

    /** Copies the collections. */
    public LoraTerms {
        byWeight = Map.copyOf(byWeight);
        loaded = List.copyOf(loaded);
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

    /** Returns the numbers of all adapters. */
    public List<Integer> adapters() {
        return IntStream.range(0, loaded.size()).boxed().toList();
    }

    /** Returns whether scales are as loaded or have one value for each adapter. */
    public boolean accept(LoraScales scales) {
        return scales.areAsLoaded() || scales.values().size() == loaded.size();
    }

    /**
     * Returns the numbers of the adapters that change a batch: those of which the scale of any
     * sequence is not 0. The others are not computed. Runs per step.
     *
     * @param scales scales of the sequences in the batch
     */
    public List<Integer> active(List<LoraScales> scales) {
        List<Integer> active = new ArrayList<>(loaded.size());
        for (int adapter = 0; adapter < loaded.size(); adapter++) {
            for (LoraScales each : scales) {
                if (each.of(adapter, loaded.get(adapter)) != 0) {
                    active.add(adapter);
                    break;
                }
            }
        }
        return active;
    }
}
