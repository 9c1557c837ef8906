package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Projection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Attention of query heads to keys and values of the same sequence.
 *
 * @param norm norm of queries and keys
 * @param rotation rotary embedding; empty for attention without positions
 * @param window positions that a token sees, itself among them; empty for all
 * @param sinks whether each head has one more score without a value
 */
record SelfAttention(
        int layer,
        Heads heads,
        HeadNorm norm,
        Optional<Rotation> rotation,
        Scale scale,
        OptionalInt window,
        boolean sinks,
        float epsilon)
        implements Mixer {

    /**
     * Numbers of heads, and the elements of one, of queries, keys and values alike.
     *
     * @param query query heads
     * @param keyValue heads of keys and values
     */
    record Heads(int query, int keyValue, int length) {
        long queryRows() {
            return (long) length * query;
        }

        long keyRows() {
            return (long) length * keyValue;
        }

        /** The usual factor of the scores, in single precision as in other implementations. */
        float scale() {
            return 1 / (float) Math.sqrt(length);
        }
    }

    /** Place of the norm of queries and keys. */
    enum HeadNorm {
        NONE,
        /** Of each head, before its rotation. */
        BEFORE_ROTATION,
        /** Of each head, after its rotation. */
        AFTER_ROTATION,
        /** Of all heads of a token together, before they are separated. */
        ALL_HEADS
    }

    /**
     * Rotary embedding.
     *
     * @param factors tensor that divides the angles
     */
    record Rotation(RopeOptions options, Optional<String> factors) {
        void select(WeightSelector weights) {
            factors.ifPresent(name -> weights.vector(name, options.dims() / 2));
        }

        Tensor rotate(ShardGraph graph, Tensor heads) {
            Optional<Tensor> divisors =
                    factors.map(name -> graph.weight(name, TensorUse.ELEMENTWISE));
            return graph.ops().ropeExt(heads, graph.positions(), divisors, options);
        }
    }

    /**
     * Factors of the scores.
     *
     * @param scores factor of the products of queries and keys
     * @param query factor of the queries before; 1 for none
     * @param growth of the queries with their position
     */
    record Scale(float scores, float query, Optional<PositionGrowth> growth) {
        static Scale scores(float scores) {
            return new Scale(scores, 1, Optional.empty());
        }
    }

    /** Parameters of {@link ShardGraph#positionFactor}. */
    record PositionGrowth(int interval, float growth) {}

    SelfAttention withNorm(HeadNorm other) {
        return new SelfAttention(layer, heads, other, rotation, scale, window, sinks, epsilon);
    }

    SelfAttention withScale(Scale other) {
        return new SelfAttention(layer, heads, norm, rotation, other, window, sinks, epsilon);
    }

    SelfAttention withWindow(OptionalInt other) {
        return new SelfAttention(layer, heads, norm, rotation, scale, other, sinks, epsilon);
    }

    SelfAttention withSinks() {
        return new SelfAttention(layer, heads, norm, rotation, scale, window, true, epsilon);
    }

    @Override
    public LayerState state() {
        int length = heads.length();
        return window.isPresent()
                ? new LayerState.SlidingAttention(
                        window.getAsInt(), heads.keyValue(), length, length)
                : new LayerState.FullAttention(heads.keyValue(), length, length);
    }

    private List<Projection> projections() {
        return Projection.attention(layer, heads.queryRows(), heads.keyRows());
    }

    @Override
    public void select(WeightSelector weights, int width) {
        weights.projections(width, block(layer, "attn_qkv"), projections());
        if (norm == HeadNorm.ALL_HEADS) {
            weights.vector(block(layer, "attn_q_norm.weight"), heads.queryRows());
            weights.vector(block(layer, "attn_k_norm.weight"), heads.keyRows());
        } else if (norm != HeadNorm.NONE) {
            weights.vector(block(layer, "attn_q_norm.weight"), heads.length());
            weights.vector(block(layer, "attn_k_norm.weight"), heads.length());
        }
        if (sinks) {
            weights.vector(block(layer, "attn_sinks.weight"), heads.query());
        }
        rotation.ifPresent(embedding -> embedding.select(weights));
        weights.matrix(block(layer, "attn_output"), heads.queryRows(), width);
    }

    @Override
    public Tensor mix(ShardGraph graph, Tensor input) {
        List<Tensor> parts = graph.projections(input, block(layer, "attn_qkv"), projections());
        Tensor query = heads(graph, parts.get(0), "attn_q_norm", heads.query());
        Tensor key = heads(graph, parts.get(1), "attn_k_norm", heads.keyValue());
        Tensor value = graph.heads(parts.get(2), heads.keyValue());
        graph.beforeRotation(layer, query, key);
        query = scaled(graph, rotated(graph, query, "attn_q_norm"));
        key = rotated(graph, key, "attn_k_norm");
        Optional<Tensor> sink =
                sinks
                        ? Optional.of(
                                graph.weight(
                                        block(layer, "attn_sinks.weight"), TensorUse.ELEMENTWISE))
                        : Optional.empty();
        return graph.attention(layer, query, key, value, scale.scores(), sink);
    }

    private Tensor heads(ShardGraph graph, Tensor columns, String name, int count) {
        Tensor all = norm == HeadNorm.ALL_HEADS ? norm(graph, name, columns) : columns;
        Tensor separate = graph.heads(all, count);
        return norm == HeadNorm.BEFORE_ROTATION ? norm(graph, name, separate) : separate;
    }

    private Tensor rotated(ShardGraph graph, Tensor heads, String name) {
        Tensor rotated = rotation.isPresent() ? rotation.get().rotate(graph, heads) : heads;
        return norm == HeadNorm.AFTER_ROTATION ? norm(graph, name, rotated) : rotated;
    }

    private Tensor scaled(ShardGraph graph, Tensor query) {
        Tensor scaled = scale.query() == 1 ? query : graph.ops().scale(query, scale.query());
        return scale.growth().isEmpty()
                ? scaled
                : graph.ops()
                        .mul(
                                scaled,
                                graph.positionFactor(
                                        scale.growth().get().interval(),
                                        scale.growth().get().growth()));
    }

    private Tensor norm(ShardGraph graph, String name, Tensor input) {
        return graph.norm(input, block(layer, name + ".weight"), epsilon);
    }

    @Override
    public Tensor project(ShardGraph graph, Tensor mixed) {
        return graph.matmul(block(layer, "attn_output"), mixed);
    }
}
