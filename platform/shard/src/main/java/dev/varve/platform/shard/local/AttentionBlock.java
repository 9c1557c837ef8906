package dev.varve.platform.shard.local;

import dev.varve.api.ggml.AttentionOptions;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.PageQuery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Attention of a batch: writes K and V of all columns into the pool of the layer's kind, then each
 * sequence attends to its own slots only.
 *
 * <p>ggml's CPU backend splits the slots of a single query among its threads, and the last bits
 * depend on the split. A moved window would be split differently from one in a cache that keeps all
 * positions, so its query is passed as the heads of each group instead: the threads then split the
 * heads, at the same speed, and each covers the whole window. With {@link BatchInvariance#ON} every
 * single query is passed like this, and several queries of a decode step are kept below a tile: all
 * of them then use the same kernel, for any number of queries.
 */
final class AttentionBlock {
    /** Below this number of query rows, ggml uses another kernel. */
    static final int TILE = 64;

    private final Ops ops;
    private final Graph graph;
    private final GraphInputs inputs;
    private final ShardGraphContext context;
    private final boolean everyRow;

    /** Queries of full attention by layer and part, if pages may be scored. */
    private final Map<Integer, List<Tensor>> queries = new TreeMap<>();

    private Optional<SparseGraphBreak> blocks = Optional.empty();

    /** A layer's rows, the inputs of its kind and the rotations of its cache types. */
    private record LayerAttention(
            KvPool.Layer cache,
            AttentionInputs inputs,
            Optional<Integer> keyBlock,
            Optional<Integer> valueBlock) {}

    /**
     * How scores become shares.
     *
     * @param scale factor of the scores
     * @param sinks one more score per head that has no value, {@code F32 [heads]}
     */
    record Scores(float scale, Optional<Tensor> sinks) {
        static Scores scaled(float scale) {
            return new Scores(scale, Optional.empty());
        }
    }

    AttentionBlock(Ops ops, Graph graph, GraphInputs inputs, ShardGraphContext context) {
        this.ops = ops;
        this.graph = graph;
        this.inputs = inputs;
        this.context = context;
        everyRow =
                context.arithmetic().exactRows() == BatchInvariance.ON
                        && context.arithmetic().onHost();
    }

    /** Keeps the query and the keys before rotation, for a text scorer that uses them. */
    void beforeRotation(int layer, Tensor query, Tensor keys) {
        context.scoringCapture()
                .filter(rows -> rows.wants(layer) && !rows.options().rotated())
                .ifPresent(rows -> recordScoringInputs(rows, layer, query, keys));
    }

    private void recordScoringInputs(ScoringCapture rows, int layer, Tensor query, Tensor keys) {
        store(rows.keys(), keys, inputs.full());
        long count = Math.min(rows.options().tail(), query.ne(2));
        captureQueries(layer, List.of(columns(query, query.ne(2) - count, count)));
    }

    private void captureQueries(int layer, List<Tensor> parts) {
        List<Tensor> kept = new ArrayList<>();
        for (Tensor part : parts) {
            Tensor copy = ops.cont(part).named("query_" + layer).markOutput();
            graph.expand(copy);
            kept.add(copy);
        }
        queries.put(layer, kept);
    }

    /**
     * @param values empty if they are in the keys
     */
    Tensor attend(int layer, Tensor query, Tensor keys, Optional<Tensor> values, Scores scores) {
        LayerAttention target = target(layer);
        context.scoringCapture()
                .filter(rows -> rows.wants(layer) && !queries.containsKey(layer))
                .ifPresent(rows -> recordScoringInputs(rows, layer, query, keys));
        Tensor rotatedQuery = rotate(query, target.keyBlock());
        Tensor rotatedKeys = rotate(keys, target.keyBlock());
        Optional<Tensor> rotatedValues = values.map(own -> rotate(own, target.valueBlock()));
        graph.expand(rotatedQuery);
        graph.expand(rotatedKeys);
        rotatedValues.ifPresent(graph::expand);
        store(target.cache().keys(), rotatedKeys, target.inputs());
        rotatedValues.ifPresent(
                own -> store(target.cache().separateValues().orElseThrow(), own, target.inputs()));
        captureQueries(layer, target, rotatedQuery, 0);
        if (context.scoringCapture().filter(ScoringCapture::sparse).isPresent()) {
            return readBlocks(layer, target, rotatedQuery, rotatedKeys, scores);
        }
        return read(target, rotatedQuery, 0, scores);
    }

    /** Place at which the graph stops for the selection of keys. */
    Optional<SparseGraphBreak> blocks() {
        return blocks;
    }

    private Tensor readBlocks(
            int layer, LayerAttention target, Tensor query, Tensor keys, Scores scores) {
        KvPool.Layer cache = target.cache();
        AttentionInputs.Part shape = target.inputs().parts().getFirst();
        if (context.scoringCapture().orElseThrow().endsWith(layer)) {
            // This layer's result is not computed, see GraphBuilder.
            return read(target, query, 0, scores);
        }
        BlockSparseAttention.SparseAttentionResult recorded =
                new BlockSparseAttention(ops, graph, inputs, cache.state(), shape.slots())
                        .attend(
                                query,
                                keys,
                                cache.keyHeads(ops, shape.slot(), shape.slots()),
                                cache.valueHeads(ops, shape.slot(), shape.slots()),
                                scores);
        blocks = Optional.of(recorded.steps());
        Tensor result = recorded.result();
        return ops.reshape2d(result, result.ne(0) * result.ne(1), query.ne(2));
    }

    /**
     * @param dropped columns at the front of the only part without a query
     */
    Tensor attendShared(int layer, Tensor query, int dropped, Scores scores) {
        LayerAttention target = target(context.layers().source(layer));
        Tensor rotated = rotate(query, target.keyBlock());
        captureQueries(layer, target, rotated, dropped);
        return read(target, rotated, dropped, scores);
    }

    /** Queries that were kept, see {@link UnallocatedGraph#queries}. */
    Map<Integer, List<Tensor>> queries() {
        return queries;
    }

    /** Keeps copies of the last queries of each part; they stay valid when the graph continues. */
    private void captureQueries(int layer, LayerAttention target, Tensor query, int dropped) {
        if (context.pageKeys().isEmpty() || target.inputs() != inputs.full()) {
            return;
        }
        List<Tensor> kept = new ArrayList<>();
        long end = 0;
        for (AttentionInputs.Part part : target.inputs().parts()) {
            end += part.tokens() - dropped;
            // For rows of decode only the last token counts, for any number of tokens.
            int most = part.rows() ? 1 : PageQuery.COLUMNS;
            long count = Math.min(part.tokens() - dropped, most);
            kept.add(columns(query, end - count, count));
        }
        captureQueries(layer, kept);
    }

    private LayerAttention target(int layer) {
        boolean slides = context.layers().slides(layer);
        KvPool.Layer cache =
                (slides ? context.caches().windowPool() : context.caches().kvPool()).layer(layer);
        return new LayerAttention(
                cache,
                slides ? inputs.sliding() : inputs.full(),
                context.rotation().keyBlock(cache.state()),
                context.rotation().valueBlock(cache.state()));
    }

    private Tensor rotate(Tensor heads, Optional<Integer> block) {
        return block.isPresent() ? context.rotation().rotate(ops, heads, block.get()) : heads;
    }

    private void store(Tensor cache, Tensor heads, AttentionInputs kind) {
        Tensor source = heads.isContiguous() ? heads : ops.cont(heads);
        Tensor rows = ops.reshape2d(source, cache.ne(0), heads.ne(2));
        graph.expand(ops.setRows(cache, rows, kind.slots()));
    }

    private Tensor read(LayerAttention target, Tensor query, int dropped, Scores scores) {
        Tensor result = null;
        int column = 0;
        List<AttentionInputs.Part> parts = target.inputs().parts();
        for (int part = 0; part < parts.size(); part++) {
            int end = parts.get(part).tokens();
            int pieces = pieces(parts.get(part));
            for (int piece = 0, first = dropped; piece < pieces; piece++) {
                int rows = (end - first) / (pieces - piece);
                Tensor columns =
                        ops.view(
                                query,
                                Extents.of(query.ne(0), query.ne(1), rows),
                                Strides.of(query.nb(1), query.nb(2)),
                                column * query.nb(2));
                Tensor own = attendPart(target, part, first, columns, scores);
                result = result == null ? own : ops.concat(result, own, 2);
                column += rows;
                first += rows;
            }
        }
        Tensor unrotated = rotate(result, target.valueBlock());
        return ops.reshape2d(unrotated, unrotated.ne(0) * unrotated.ne(1), query.ne(2));
    }

    /** Number of operators among which the queries of a part are divided. */
    private int pieces(AttentionInputs.Part part) {
        if (!everyRow || !part.rows()) {
            return 1;
        }
        // Scores of a single query use another kind of product than those of several.
        return context.arithmetic().flashAttention() ? 1 + part.tokens() / TILE : part.tokens();
    }

    /**
     * Attention of one sequence, or of some of its columns: {@code F32 [valueLength, heads,
     * columns]}.
     *
     * @param first the first of these columns
     */
    private Tensor attendPart(
            LayerAttention target, int part, int first, Tensor query, Scores scores) {
        AttentionInputs.Part shape = target.inputs().parts().get(part);
        KvPool.Layer cache = target.cache();
        LayerState.Attention sizes = cache.state();
        int group = (int) query.ne(1) / sizes.kvHeads();
        boolean flash = context.arithmetic().flashAttention();
        // First, since the whole window that the piece belongs to is computed in tiles.
        if (flash && shape.isPiece() && query.ne(2) < TILE && usesTiles(cache)) {
            return attendInTile(target, part, query, scores);
        }
        boolean byHeads = shape.byHeads() || (everyRow && query.ne(2) == 1);
        if (flash && byHeads && !cache.keys().type().isQuantized()) {
            return attendByHeads(target, part, query, group, scores);
        }
        Tensor mask = target.inputs().mask(part, shape.tokens());
        if (query.ne(2) < mask.ne(1)) {
            mask = ops.view2d(mask, mask.ne(0), query.ne(2), mask.nb(1), first * mask.nb(1));
        }
        Tensor rows = ops.permute(query, 0, 2, 1, 3);
        Tensor keys = cache.keyHeads(ops, shape.slot(), shape.slots());
        Tensor values = cache.valueHeads(ops, shape.slot(), shape.slots());
        return flash
                ? flashAttention(ops, rows, keys, values, mask, scores)
                : plainAttention(ops, exact(rows), exact(keys), values, mask, scores);
    }

    /** Whether many queries use another kernel than a few; quantised rows have one kernel only. */
    private boolean usesTiles(KvPool.Layer cache) {
        return context.arithmetic().onHost() && !cache.keys().type().isQuantized();
    }

    /**
     * Computes fewer queries than a tile with the kernel of a tile: fills the tile up with copies
     * of them.
     */
    private Tensor attendInTile(LayerAttention target, int part, Tensor query, Scores scores) {
        AttentionInputs.Part shape = target.inputs().parts().get(part);
        Tensor filled = query;
        while (filled.ne(2) < TILE) {
            long missing = Math.min(query.ne(2), TILE - filled.ne(2));
            filled = ops.concat(filled, columns(query, missing), 2);
        }
        Tensor attended =
                flashAttention(
                        ops,
                        ops.permute(filled, 0, 2, 1, 3),
                        target.cache().keyHeads(ops, shape.slot(), shape.slots()),
                        target.cache().valueHeads(ops, shape.slot(), shape.slots()),
                        target.inputs().mask(part, TILE),
                        scores);
        return columns(attended, query.ne(2));
    }

    /** Views the first columns of {@code [length, heads, columns]}. */
    private Tensor columns(Tensor all, long count) {
        return columns(all, 0, count);
    }

    private Tensor columns(Tensor all, long first, long count) {
        return ops.view(
                all,
                Extents.of(all.ne(0), all.ne(1), count),
                Strides.of(all.nb(1), all.nb(2)),
                first * all.nb(2));
    }

    /** ggml's Vulkan backend rounds strided F32 operands of a product to half precision. */
    private Tensor exact(Tensor strided) {
        return context.arithmetic().onHost() || strided.type() != GgmlType.F32
                ? strided
                : ops.cont(strided);
    }

    /**
     * Attention that stores the scores of all slots at once.
     *
     * @param query {@code F32 [D, N, H]}
     * @param keys {@code [D, slots, Hkv]}
     * @param values {@code [Dv, slots, Hkv]}, not quantised
     * @return {@code F32 [Dv, H, N]}, contiguous
     */
    static Tensor plainAttention(
            Ops ops, Tensor query, Tensor keys, Tensor values, Tensor mask, Scores scores) {
        Tensor products = ops.accumulateF32(ops.mulMat(keys, query));
        Tensor shares =
                scores.sinks().isPresent()
                        ? ops.softMaxExt(products, mask, scores.scale(), scores.sinks().get())
                        : ops.softMaxExt(products, Optional.of(mask), scores.scale());
        Tensor columns = ops.cont(ops.transpose(values));
        Tensor attended = ops.accumulateF32(ops.mulMat(columns, shares));
        return ops.cont(ops.permute(attended, 0, 2, 1, 3));
    }

    /** The same without all scores at once, from rows of any type. */
    static Tensor flashAttention(
            Ops ops, Tensor query, Tensor keys, Tensor values, Tensor mask, Scores scores) {
        AttentionOptions options = AttentionOptions.scaled(scores.scale());
        return scores.sinks().isPresent()
                ? ops.flashAttention(query, keys, values, mask, options, scores.sinks().get())
                : ops.flashAttention(query, keys, values, Optional.of(mask), options);
    }

    /** Attention of a single token; its query heads over one KV head are passed as rows. */
    private Tensor attendByHeads(
            LayerAttention target, int part, Tensor query, int group, Scores scores) {
        KvPool.Layer cache = target.cache();
        LayerState.Attention sizes = cache.state();
        AttentionInputs.Part shape = target.inputs().parts().get(part);
        int kvHeads = sizes.kvHeads();
        // A group of one head is passed twice, since a single row would be split; so are the heads
        // of a group that would fill a tile, and heads with sinks, which belong to heads.
        boolean twice = group == 1 || group >= TILE || scores.sinks().isPresent();
        int shown = twice ? 2 : group;
        Tensor rows =
                twice
                        ? ops.permute(ops.concat(query, query, 2), 0, 2, 1, 3)
                        : ops.view(
                                query,
                                Extents.of(query.ne(0), group, kvHeads),
                                Strides.of(query.nb(1), group * query.nb(1)),
                                0);
        Tensor attended =
                flashAttention(
                        ops,
                        rows,
                        cache.keyHeads(ops, shape.slot(), shape.slots()),
                        cache.valueHeads(ops, shape.slot(), shape.slots()),
                        target.inputs().mask(part, shown),
                        scores);
        if (twice) {
            return ops.view(
                    attended,
                    Extents.of(sizes.valueLength(), query.ne(1), 1),
                    Strides.of(attended.nb(1), attended.nb(2)),
                    0);
        }
        Tensor ordered = ops.cont(ops.permute(attended, 0, 2, 1, 3));
        return ops.reshape3d(ordered, sizes.valueLength(), (long) group * kvHeads, 1);
    }
}
