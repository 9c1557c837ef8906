package dev.varve.platform.shard.lora;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A model with LoRA adapters. Each range also loads the adapters' matrices of its weights, on the
 * device of the weight; what the family records stays the same, since the platform adds the terms
 * to the products.
 */
public final class AdaptedModel implements LayerSplitAdapter {
    private final LayerSplitAdapter base;
    private final SortedMap<Integer, LoraAdapter> adapters;
    private final LoraTerms terms;

    private AdaptedModel(LayerSplitAdapter base, SortedMap<Integer, LoraAdapter> adapters) {
        this.base = base;
        this.adapters = Collections.unmodifiableSortedMap(new TreeMap<>(adapters));
        LoraTerms all = LoraTerms.NONE;
        for (Map.Entry<Integer, LoraAdapter> each : adapters.entrySet()) {
            all = all.with(each.getKey(), each.getValue());
        }
        terms = all;
    }

    /**
     * Adds adapters to a model.
     *
     * @param file file of the model
     * @return the model itself without adapters
     * @throws VarveException of kind UNSUPPORTED_MODEL if an adapter is for another architecture or
     *     for a weight that cannot be adapted, CORRUPT_FILE if its matrices do not fit
     */
    public static LayerSplitAdapter of(
            GgufFile file, LayerSplitAdapter base, List<LoraAdapter> adapters) {
        SortedMap<Integer, LoraAdapter> numbered = new TreeMap<>();
        adapters.forEach(adapter -> numbered.put(numbered.size(), adapter));
        return of(file, base, numbered);
    }

    /**
     * Adds adapters with given numbers to a model.
     *
     * @throws VarveException likewise
     */
    public static LayerSplitAdapter of(
            GgufFile file, LayerSplitAdapter base, SortedMap<Integer, LoraAdapter> adapters) {
        if (adapters.isEmpty()) {
            return base;
        }
        LoraCheck check = new LoraCheck(file, base);
        adapters.values().forEach(check::require);
        return new AdaptedModel(base, adapters);
    }

    /**
     * Checks that an adapter fits a model.
     *
     * @param file file of the model
     * @throws VarveException as {@link #of(GgufFile, LayerSplitAdapter, List)}
     */
    public static void requireFits(GgufFile file, LayerSplitAdapter model, LoraAdapter adapter) {
        new LoraCheck(file, base(model)).require(adapter);
    }

    /** Returns the model without its adapters. */
    public static LayerSplitAdapter base(LayerSplitAdapter model) {
        return model instanceof AdaptedModel adapted ? adapted.base : model;
    }

    /** Returns the adapters of a model, in their order. */
    public static List<LoraAdapter> adapters(LayerSplitAdapter model) {
        return List.copyOf(numbered(model).values());
    }

    /** Returns the adapters of a model by their numbers. */
    public static SortedMap<Integer, LoraAdapter> numbered(LayerSplitAdapter model) {
        return model instanceof AdaptedModel adapted
                ? adapted.adapters
                : Collections.emptySortedMap();
    }

    /** Returns the matrices that an adapter adds to a range of a model. */
    public static TensorSelection matrices(
            LayerSplitAdapter model, LayerRange range, int number, LoraAdapter adapter) {
        TensorSelection.Builder selection = new TensorSelection.Builder();
        for (TensorSelection.Entry entry : base(model).tensors(range).entries()) {
            adapter.pair(entry.tensor().name())
                    .ifPresent(pair -> add(selection, entry, number, pair));
        }
        return selection.build();
    }

    LoraTerms terms() {
        return terms;
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        TensorSelection.Builder selection = new TensorSelection.Builder();
        for (TensorSelection.Entry entry : base.tensors(range).entries()) {
            selection.add(entry.tensor(), entry.use());
            adapters.forEach(
                    (number, adapter) ->
                            adapter.pair(entry.tensor().name())
                                    .ifPresent(pair -> add(selection, entry, number, pair)));
        }
        return selection.build();
    }

    private static void add(
            TensorSelection.Builder selection,
            TensorSelection.Entry entry,
            int number,
            LoraAdapter.Pair pair) {
        String weight = entry.tensor().name();
        // Rows of the first matrix are looked up where those of the weight are.
        TensorUse second = entry.use() == TensorUse.ROW_LOOKUP ? TensorUse.MATMUL : entry.use();
        selection.add(pair.a().renamed(LoraTerm.nameOfA(weight, number)), entry.use());
        selection.add(pair.b().renamed(LoraTerm.nameOfB(weight, number)), second);
    }

    @Override
    public ModelShape shape() {
        return base.shape();
    }

    @Override
    public List<LayerRange> align(List<LayerRange> ranges) {
        return base.align(ranges);
    }

    @Override
    public int boundaryLength(int layer) {
        return base.boundaryLength(layer);
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        base.build(graph, range);
    }

    @Override
    public Optional<String> contextVariant() {
        return base.contextVariant();
    }

    @Override
    public ChatDialect chatDialect() {
        return base.chatDialect();
    }
}
