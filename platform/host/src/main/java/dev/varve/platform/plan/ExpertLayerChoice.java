package dev.varve.platform.plan;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.ExpertCacheShare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Layers whose experts are moved together. Files mix types, so the experts of some layers have more
 * bytes than those of others, and the first layers that suffice may be more than needed.
 *
 * @param layers in ascending order
 * @param bytes bytes of their experts
 */
record ExpertLayerChoice(List<Integer> layers, long bytes) {
    /** Most different sizes of layers for which the choices are enumerated. */
    private static final int MOST_SIZES = 3;

    /** Most choices that are returned. */
    private static final int MOST = 200;

    /** Copies the layers. */
    ExpertLayerChoice {
        layers = List.copyOf(layers);
    }

    /**
     * Returns the choices with fewer bytes than the first layers and more than these without the
     * last of them, those with the fewest bytes first; none if all layers have the same size.
     *
     * @param first number of first layers, at least 1
     */
    static List<ExpertLayerChoice> lighterThanFirst(LayerSplitAdapter model, int first) {
        long[] bytes =
                IntStream.range(0, model.shape().layerCount())
                        .mapToLong(
                                layer ->
                                        ExpertCacheShare.expertBytes(
                                                model.tensors(new LayerRange(layer, layer + 1))))
                        .toArray();
        TreeMap<Long, List<Integer>> bySize = new TreeMap<>();
        for (int layer = 0; layer < bytes.length; layer++) {
            if (bytes[layer] > 0) {
                bySize.computeIfAbsent(bytes[layer], size -> new ArrayList<>()).add(layer);
            }
        }
        if (bySize.size() == 1 || bySize.size() > MOST_SIZES) {
            return List.of();
        }
        long most = LongStream.of(bytes).limit(first).sum();
        long least = most - bytes[first - 1];
        return choices(bySize.values(), bytes).stream()
                .filter(choice -> choice.bytes > least && choice.bytes < most)
                .sorted(
                        Comparator.comparingLong(ExpertLayerChoice::bytes)
                                .thenComparing(choice -> choice.layers.size()))
                .limit(MOST)
                .toList();
    }

    /** Returns choices of all numbers of layers of each size. */
    private static List<ExpertLayerChoice> choices(Collection<List<Integer>> sizes, long[] bytes) {
        List<ExpertLayerChoice> choices = List.of(new ExpertLayerChoice(List.of(), 0));
        for (List<Integer> size : sizes) {
            List<ExpertLayerChoice> more = new ArrayList<>();
            for (ExpertLayerChoice choice : choices) {
                for (int count = 0; count <= size.size(); count++) {
                    more.add(choice.with(size.subList(0, count), bytes));
                }
            }
            choices = more;
        }
        return choices;
    }

    private ExpertLayerChoice with(List<Integer> others, long[] each) {
        List<Integer> all = new ArrayList<>(layers);
        all.addAll(others);
        all.sort(null);
        return new ExpertLayerChoice(
                all, bytes + others.stream().mapToLong(layer -> each[layer]).sum());
    }

    /** Returns an expression for the names of the matrices of experts. */
    String expression() {
        return "blk\\.("
                + String.join("|", layers.stream().map(String::valueOf).toList())
                + ")\\.ffn_.*_exps";
    }
}
