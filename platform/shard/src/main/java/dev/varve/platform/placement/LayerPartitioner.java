package dev.varve.platform.placement;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.platform.setting.Setting;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Splits the layers of a model into ranges. */
public final class LayerPartitioner {
    private LayerPartitioner() {}

    /**
     * Layer ranges, and why some of them differ from the split by weights.
     *
     * @param moved message about the ranges that the family moved; empty if it moved none
     */
    public record Aligned(List<LayerRange> ranges, Optional<String> moved) {
        /** Copies the ranges. */
        public Aligned {
            ranges = List.copyOf(ranges);
        }
    }

    /** Splits into ranges of equal weight. */
    public static List<LayerRange> split(int layers, int shards) {
        return split(layers, shards, List.of());
    }

    /**
     * Splits into ranges whose ends are the cumulative shares of the weights, rounded half up and
     * at least one layer apart.
     *
     * @param weights one per shard, or none for equal ones; only their ratios matter
     * @throws IllegalArgumentException if there are fewer layers than shards, or the number of
     *     weights is not the number of shards
     */
    public static List<LayerRange> split(int layers, int shards, List<Double> weights) {
        if (layers < 1 || shards < 1 || shards > layers) {
            throw new IllegalArgumentException(
                    Setting.DEVICES
                            + ": expected 1 to "
                            + layers
                            + " devices, one layer each at least, found "
                            + shards);
        }
        if (shards == 1 && weights.isEmpty()) {
            // Most models. Java spends 15 ms on tables for decimals when a program uses the first.
            return List.of(new LayerRange(0, layers));
        }
        List<Double> shares = weights.isEmpty() ? Collections.nCopies(shards, 1.0) : weights;
        if (shares.size() != shards) {
            throw new IllegalArgumentException(
                    Setting.LAYER_SPLIT
                            + ": expected "
                            + shards
                            + " weights, found "
                            + shares.size());
        }
        // Exact decimals: 0.08 + 0.46 + 0.46 is 1, and a share of exactly half a layer rounds up
        // for every multiple of the weights.
        List<BigDecimal> exact = shares.stream().map(LayerPartitioner::exact).toList();
        BigDecimal sum = exact.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        if (sum.signum() <= 0) {
            throw new IllegalArgumentException(
                    Setting.LAYER_SPLIT + ": expected weights with a sum above 0, found " + shares);
        }
        BigDecimal total = BigDecimal.valueOf(layers);
        List<LayerRange> ranges = new ArrayList<>();
        BigDecimal running = BigDecimal.ZERO;
        int begin = 0;
        for (int i = 0; i < shards; i++) {
            running = running.add(exact.get(i));
            int end =
                    i == shards - 1
                            ? layers
                            : running.multiply(total)
                                    .divide(sum, 0, RoundingMode.HALF_UP)
                                    .intValueExact();
            end = Math.clamp(end, begin + 1, layers - (shards - 1 - i));
            ranges.add(new LayerRange(begin, end));
            begin = end;
        }
        return List.copyOf(ranges);
    }

    private static BigDecimal exact(double weight) {
        if (!(weight >= 0 && Double.isFinite(weight))) {
            throw new IllegalArgumentException(
                    Setting.LAYER_SPLIT + ": expected finite weights above 0, found " + weight);
        }
        return BigDecimal.valueOf(weight);
    }

    /**
     * Moves boundaries to layers at which the family can be cut, and reports the moved ones with
     * the reason.
     */
    public static Aligned align(LayerSplitAdapter model, List<LayerRange> ranges) {
        List<LayerRange> aligned = model.align(ranges);
        if (aligned.equals(ranges)) {
            return new Aligned(aligned, Optional.empty());
        }
        return new Aligned(
                aligned,
                Optional.of(
                        "layer ranges moved from "
                                + describe(ranges)
                                + " to "
                                + describe(aligned)
                                + reason(model)));
    }

    private static String reason(LayerSplitAdapter model) {
        List<LayerState> layers = model.shape().layers();
        int[] sharing =
                IntStream.range(0, layers.size())
                        .filter(i -> layers.get(i) instanceof LayerState.SharedAttention)
                        .toArray();
        if (sharing.length == 0) {
            return ": " + model.shape().architecture() + " models cannot be cut there";
        }
        int source =
                Arrays.stream(sharing)
                        .map(i -> ((LayerState.SharedAttention) layers.get(i)).source())
                        .min()
                        .orElseThrow();
        return String.format(
                Locale.ROOT,
                ": layers %d to %d use the KV cache of layers from %d on and must stay with them",
                sharing[0],
                sharing[sharing.length - 1],
                source);
    }

    /** Formats ranges, such as {@code [0, 5) [5, 35)}. */
    public static String describe(List<LayerRange> ranges) {
        return ranges.stream().map(LayerRange::toString).collect(Collectors.joining(" "));
    }
}
