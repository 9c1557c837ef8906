package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.local.TextBatch.Group;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Attention of texts without a cache. Each group of texts is computed by operators of its own; no
 * text sees another one, and none is padded. Long texts are computed in tiles of queries, whose
 * scores have a limited size.
 */
final class EncoderAttentionBlock {
    /** Most scores of a tile: 64 MiB. */
    private static final long MOST_SCORES = 1L << 24;

    /** Queries of a tile are a multiple of it, for kernels of many columns. */
    private static final int TILE_STEP = 32;

    /** Tensors of a tile, at most. */
    static final int TENSORS_PER_TILE = 24;

    private final GgmlContext context;
    private final Ops ops;
    private final Graph graph;
    private final TextBatch batch;
    private final EncoderInputs inputs;

    /** Results of a layer by their width, used by all layers in turn. */
    private final Map<Long, Tensor> results = new HashMap<>();

    /**
     * Scores of an attention.
     *
     * @param scale factor of the scores
     * @param visibility which tokens see which
     * @param sinks one more score per head
     */
    record Scores(float scale, Visibility visibility, Optional<Tensor> sinks) {}

    /** Queries, keys and values of all tokens, {@code F32 [length, heads, T]}. */
    record Heads(Tensor query, Tensor key, Tensor value) {}

    EncoderAttentionBlock(GgmlContext context, Graph graph, TextBatch batch, EncoderInputs inputs) {
        this.context = context;
        this.graph = graph;
        this.batch = batch;
        this.inputs = inputs;
        ops = context.ops();
    }

    /** Upper bound for the number of tiles of a layer with so many heads. */
    static int tiles(TextBatch batch, int heads) {
        return batch.groups().stream()
                .mapToInt(group -> Math.ceilDiv(group.length(), step(group, heads)))
                .sum();
    }

    /** Queries of a tile. */
    private static int step(Group group, long heads) {
        long most = MOST_SCORES / Math.max(1, group.tokens() * heads) / TILE_STEP * TILE_STEP;
        return Math.clamp(most, TILE_STEP, Math.max(TILE_STEP, group.length()));
    }

    /** Returns {@code F32 [valueLength * heads, T]}, contiguous. */
    Tensor attend(Heads heads, Scores scores) {
        long width = heads.value().ne(0) * heads.query().ne(1);
        Tensor all =
                results.computeIfAbsent(
                        width, any -> context.newTensor(GgmlType.F32, width, batch.tokens()));
        for (Group group : batch.groups()) {
            Tensor keys = byHeads(group, heads.key(), 0, group.length());
            Tensor values =
                    ops.cont(ops.transpose(byHeads(group, heads.value(), 0, group.length())));
            int step = step(group, heads.query().ne(1));
            for (int first = 0; first < group.length(); first += step) {
                int count = Math.min(step, group.length() - first);
                Tensor queries = byHeads(group, heads.query(), first, count);
                Tensor weights = weights(group, first, ops.mulMat(keys, queries), scores);
                Tensor attended = ops.permute(ops.mulMat(values, weights), 0, 2, 1, 3);
                graph.expand(ops.copy(attended, place(all, group, first, attended)));
            }
        }
        return all;
    }

    /** Softmax of scores, {@code F32 [length, queries, heads, texts]}. */
    private Tensor weights(Group group, int first, Tensor products, Scores scores) {
        Visibility visibility = scores.visibility();
        if (scores.sinks().isPresent()) {
            Tensor mask = mask(group, first, products, visibility);
            return ops.softMaxExt(products, mask, scores.scale(), scores.sinks().get());
        }
        return ops.softMaxExt(
                products,
                visibility.showsAll(group.lengths())
                        ? Optional.empty()
                        : Optional.of(mask(group, first, products, visibility)),
                scores.scale());
    }

    private record MaskKey(
            Visibility visibility, List<Integer> lengths, int first, int count, int planes) {}

    private Tensor mask(Group group, int first, Tensor products, Visibility visibility) {
        int length = group.length();
        int count = Math.toIntExact(products.ne(1));
        int planes = visibility.hasSlopes() ? Math.toIntExact(products.ne(2)) : 1;
        return inputs.floats(
                new MaskKey(visibility, group.lengths(), first, count, planes),
                () -> visibility.mask(group.lengths(), first, count, planes),
                length,
                count,
                planes);
    }

    /** {@code [length, heads, T] -> [length, tokens, heads, texts]} of a group's texts. */
    private Tensor byHeads(Group group, Tensor all, int first, int count) {
        Tensor own =
                ops.view(
                        all,
                        Extents.of(all.ne(0), all.ne(1), count, group.units()),
                        Strides.of(all.nb(1), all.nb(2), group.length() * all.nb(2)),
                        (group.first() + first) * all.nb(2));
        return ops.permute(own, 0, 2, 1, 3);
    }

    /** Returns the view of the results of some queries of each text. */
    private Tensor place(Tensor all, Group group, int first, Tensor part) {
        return ops.view(
                all,
                Extents.of(part.ne(0), part.ne(1), part.ne(2), part.ne(3)),
                Strides.of(part.ne(0) * Float.BYTES, all.nb(1), group.length() * all.nb(1)),
                (group.first() + first) * all.nb(1));
    }
}
