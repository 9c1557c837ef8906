package dev.varve.platform.shard.lora;

import dev.varve.api.model.LayerSplitAdapter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The terms that a graph adds to products with adapted weights. Immutable.
 *
 * @param byWeight terms by the whole name of the weight, in the order of the adapters' numbers
 * @param loaded scale with which each adapter was loaded, by its number
 */
public record LoraTerms(Map<String, List<LoraTerm>> byWeight, SortedMap<Integer, Float> loaded) {
    /** Terms of a model without adapters. */
    public static final LoraTerms NONE = new LoraTerms(Map.of(), Collections.emptySortedMap());

    /** Copies the collections. */
    public LoraTerms {
        byWeight = Map.copyOf(byWeight);
        loaded = Collections.unmodifiableSortedMap(new TreeMap<>(loaded));
    }

    /** Returns the terms of a model; none if it has no adapters. */
    public static LoraTerms of(LayerSplitAdapter model) {
        return model instanceof AdaptedModel adapted ? adapted.terms() : NONE;
    }

    /** Returns these terms and those of an adapter, which replaces one with the same number. */
    public LoraTerms with(int number, LoraAdapter adapter) {
        LoraTerms others = without(number);
        Map<String, List<LoraTerm>> terms = new HashMap<>(others.byWeight);
        adapter.pairs()
                .forEach(
                        (weight, pair) -> {
                            List<LoraTerm> all = new ArrayList<>(others.of(weight));
                            all.add(LoraTerm.of(weight, adapter.factor(number, pair)));
                            all.sort(Comparator.comparingInt(term -> term.factor().adapter()));
                            terms.put(weight, List.copyOf(all));
                        });
        SortedMap<Integer, Float> scales = new TreeMap<>(others.loaded);
        scales.put(number, adapter.scale());
        return new LoraTerms(terms, scales);
    }

    /** Returns the terms of the other adapters. */
    public LoraTerms without(int number) {
        if (!loaded.containsKey(number)) {
            return this;
        }
        Map<String, List<LoraTerm>> terms = new HashMap<>();
        byWeight.forEach(
                (weight, all) -> {
                    List<LoraTerm> left =
                            all.stream().filter(term -> term.factor().adapter() != number).toList();
                    if (!left.isEmpty()) {
                        terms.put(weight, left);
                    }
                });
        SortedMap<Integer, Float> scales = new TreeMap<>(loaded);
        scales.remove(number);
        return new LoraTerms(terms, scales);
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
        return List.copyOf(loaded.keySet());
    }

    /** Returns whether scales are 0 for all numbers without an adapter. */
    public boolean accept(LoraScales scales) {
        for (int number = 0; number < scales.values().size(); number++) {
            if (scales.values().get(number) != 0 && !loaded.containsKey(number)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the numbers of the adapters that change a batch: those of which the scale of any
     * sequence is not 0. The others are not computed. Runs per step.
     *
     * @param scales scales of the sequences in the batch
     */
    public List<Integer> active(List<LoraScales> scales) {
        List<Integer> active = new ArrayList<>(loaded.size());
        for (Map.Entry<Integer, Float> adapter : loaded.entrySet()) {
            for (LoraScales each : scales) {
                if (each.of(adapter.getKey(), adapter.getValue()) != 0) {
                    active.add(adapter.getKey());
                    break;
                }
            }
        }
        return active;
    }
}
