package dev.varve.platform.shard.image;

import dev.varve.api.ggml.AttentionOptions;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.api.vision.ImageGraph;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Records the graph of one image, and where it may be interrupted. */
final class ImageGraphBuilder implements ImageGraph {
    /** Most tiles of a product, which bounds the tensors of a graph. */
    private static final int MOST_TILES = 32;

    /** Columns of tiles are multiples of it, so that kernels for many columns are used. */
    private static final int TILE_STEP = 32;

    /** View of the input, product, its precision, sum with the bias, view of the target, copy. */
    private static final int TENSORS_PER_TILE = 6;

    /** Products are fewer than the tensors of a graph by at least this factor. */
    private static final int TENSORS_PER_PRODUCT = 8;

    private final GgmlContext context;
    private final Graph graph;
    private final ShardWeights weights;
    private final boolean onHost;
    private final long mostWork;
    private final List<Runnable> inputs = new ArrayList<>();
    private final List<Integer> cuts = new ArrayList<>();
    private long work;

    /** K and V of the current block in half precision, used by all blocks in turn. */
    private Optional<HalfRows> halfRows = Optional.empty();

    private record HalfRows(Tensor keys, Tensor values) {}

    /**
     * @param graph receives the operators
     * @param onHost whether the device is the CPU, whose products always have F32 sums
     * @param mostWork multiplications between two cuts, as far as possible
     */
    ImageGraphBuilder(
            GgmlContext context, Graph graph, ShardWeights weights, boolean onHost, long mostWork) {
        this.context = context;
        this.graph = graph;
        this.weights = weights;
        this.onHost = onHost;
        this.mostWork = mostWork;
    }

    /** Upper bound for the tensors of tiles. */
    static int tensorsOfTiles(int graphTensors, ShardWeights weights, int columns) {
        return columns <= TILE_STEP
                ? weights.tensorsOfTiles(columns)
                : graphTensors / TENSORS_PER_PRODUCT * MOST_TILES * TENSORS_PER_TILE
                        + MOST_TILES * weights.tensorsOfTiles(columns);
    }

    /** Writes the inputs, after the graph got its memory. */
    void fill() {
        inputs.forEach(Runnable::run);
    }

    /** Adds the result to the graph, and returns the graph's parts in their order. */
    List<Graph> parts(Tensor result) {
        graph.expand(result);
        List<Graph> parts = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            if (cut < graph.nodes()) {
                parts.add(graph.range(begin, cut));
                begin = cut;
            }
        }
        parts.add(graph.range(begin, graph.nodes()));
        return parts;
    }

    @Override
    public Ops ops() {
        return context.ops();
    }

    @Override
    public Tensor weight(String name, TensorUse use) {
        return weights.get(name, use);
    }

    @Override
    public boolean hasWeight(String name, TensorUse use) {
        return weights.has(name, use);
    }

    @Override
    public Tensor input(String name, float[] values, long... shape) {
        Tensor tensor = context.newTensor(GgmlType.F32, shape).named(name).markInput();
        inputs.add(() -> tensor.write(values, 0, values.length, 0));
        return tensor;
    }

    @Override
    public Tensor input(String name, int[] values, long... shape) {
        Tensor tensor = context.newTensor(GgmlType.I32, shape).named(name).markInput();
        inputs.add(() -> tensor.write(values, 0, values.length, 0));
        return tensor;
    }

    @Override
    public Tensor matmul(String name, Tensor input) {
        long rows = weight(name + ".weight", TensorUse.MATMUL).ne(1);
        long each = rows * input.ne(0);
        return tiled(
                input.ne(1),
                each,
                rows,
                tile -> product(name, tile.isWhole() ? input : columns(input, tile)));
    }

    private Tensor product(String name, Tensor input) {
        Tensor product = weights.multiply(ops(), name + ".weight", input);
        // Accelerators would accumulate in half precision if they support it.
        Tensor precise = onHost ? product : ops().accumulateF32(product);
        return optionalWeight(name + ".bias", TensorUse.ELEMENTWISE)
                .map(bias -> ops().add(precise, bias))
                .orElse(precise);
    }

    private Tensor columns(Tensor input, Tile tile) {
        return ops().view2d(
                        input, input.ne(0), tile.count(), input.nb(1), tile.first() * input.nb(1));
    }

    @Override
    public Tensor attention(Tensor query, Tensor key, Tensor value, float scale) {
        HalfRows rows = halfRows.orElseGet(() -> newHalfRows(key, value));
        halfRows = Optional.of(rows);
        Tensor keys = ops().copy(byHeads(key), rows.keys());
        Tensor values = ops().copy(byHeads(value), rows.values());
        long width = query.ne(0) * query.ne(1);
        return tiled(
                query.ne(2),
                2 * width * key.ne(2),
                width,
                tile -> {
                    Tensor asking = tile.isWhole() ? query : queries(query, tile);
                    Tensor attended =
                            ops().flashAttention(
                                            byHeads(asking),
                                            keys,
                                            values,
                                            Optional.empty(),
                                            AttentionOptions.scaled(scale));
                    return ops().reshape2d(attended, width, tile.count());
                });
    }

    private Tensor queries(Tensor query, Tile tile) {
        return ops().view(
                        query,
                        Extents.of(query.ne(0), query.ne(1), tile.count()),
                        Strides.of(query.nb(1), query.nb(2)),
                        tile.first() * query.nb(2));
    }

    private HalfRows newHalfRows(Tensor key, Tensor value) {
        return new HalfRows(half("half_keys", key), half("half_values", value));
    }

    private Tensor half(String name, Tensor rows) {
        return context.newTensor(GgmlType.F16, rows.ne(0), rows.ne(2), rows.ne(1)).named(name);
    }

    /** {@code [length, heads, N] -> [length, N, heads]}. */
    private Tensor byHeads(Tensor rows) {
        return ops().permute(rows, 0, 2, 1, 3);
    }

    /** Consecutive columns of a result. */
    private record Tile(long first, long count, long all) {
        boolean isWhole() {
            return count == all;
        }
    }

    @FunctionalInterface
    private interface TileFunction {
        Tensor of(Tile tile);
    }

    /**
     * Computes columns in as many tiles as the work requires, with a possible cut after each.
     *
     * @param each work of a column
     * @param rows of the result
     */
    private Tensor tiled(long columns, long each, long rows, TileFunction result) {
        long most = Math.max(mostWork / each, Math.ceilDiv(columns, MOST_TILES));
        long step = Math.ceilDiv(most, TILE_STEP) * TILE_STEP;
        if (step >= columns) {
            Tensor whole = result.of(new Tile(0, columns, columns));
            worked(whole, columns * each);
            return whole;
        }
        Tensor all = context.newTensor(GgmlType.F32, rows, columns);
        for (long first = 0; first < columns; first += step) {
            long count = Math.min(step, columns - first);
            Tensor part = result.of(new Tile(first, count, columns));
            Tensor place = ops().view2d(all, rows, count, all.nb(1), first * all.nb(1));
            worked(ops().copy(part, place), count * each);
        }
        return all;
    }

    private void worked(Tensor result, long multiplications) {
        graph.expand(result);
        work += multiplications;
        if (work >= mostWork) {
            cuts.add(graph.nodes());
            work = 0;
        }
    }
}
