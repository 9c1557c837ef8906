package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.WeightSelector;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Multi-head latent attention: keys and values of all heads are products of one latent row per
 * token. In the absorbed form the cache holds that row alone, and its products are applied to
 * queries and results instead; its values are the beginning of its keys. Otherwise the cache holds
 * the keys and values of each head.
 *
 * @see <a href="https://arxiv.org/abs/2405.04434">DeepSeek-V2, section 2.1</a>
 */
record LatentAttention(
        int layer, Lengths lengths, Form form, SelfAttention.Rotation rotation, Scale scale)
        implements Mixer {

    /**
     * Numbers of elements.
     *
     * @param heads query heads
     * @param key of a query or key, of which the last {@code rotated} are rotated
     * @param value of a value
     * @param latent of the latent row, without the rotated part of the keys
     * @param queryLatent of the latent row of the queries, if they have one
     */
    record Lengths(
            int heads, int key, int rotated, int value, int latent, OptionalInt queryLatent) {
        int plain() {
            return key - rotated;
        }
    }

    /** Contents of the KV cache. */
    enum Form {
        ABSORBED,
        PER_HEAD
    }

    /**
     * @param scores factor of the products of queries and keys
     * @param epsilon of the norms of latent rows
     */
    record Scale(float scores, Optional<SelfAttention.PositionGrowth> growth, float epsilon) {}

    @Override
    public LayerState state() {
        return form == Form.ABSORBED
                ? new LayerState.FullAttention(
                        1,
                        lengths.latent() + lengths.rotated(),
                        lengths.latent(),
                        LayerState.ValueRows.IN_KEYS)
                : new LayerState.FullAttention(lengths.heads(), lengths.key(), lengths.value());
    }

    @Override
    public void select(WeightSelector weights, int width) {
        long queryRows = (long) lengths.key() * lengths.heads();
        if (lengths.queryLatent().isPresent()) {
            int rank = lengths.queryLatent().getAsInt();
            weights.matrix(block(layer, "attn_q_a"), width, rank);
            weights.vector(block(layer, "attn_q_a_norm.weight"), rank);
            weights.matrix(block(layer, "attn_q_b"), rank, queryRows);
        } else {
            weights.matrix(block(layer, "attn_q"), width, queryRows);
        }
        int latent = lengths.latent();
        weights.matrix(block(layer, "attn_kv_a_mqa"), width, (long) latent + lengths.rotated());
        weights.vector(block(layer, "attn_kv_a_norm.weight"), latent);
        if (form == Form.ABSORBED) {
            weights.matrixPerHead(
                    block(layer, "attn_k_b"), lengths.plain(), latent, lengths.heads());
            weights.matrixPerHead(
                    block(layer, "attn_v_b"), latent, lengths.value(), lengths.heads());
        } else {
            weights.matrix(
                    block(layer, "attn_kv_b"),
                    latent,
                    (long) lengths.heads() * (lengths.plain() + lengths.value()));
        }
        rotation.select(weights);
        weights.matrix(
                block(layer, "attn_output"), (long) lengths.heads() * lengths.value(), width);
    }

    @Override
    public Tensor mix(ShardGraph graph, Tensor input) {
        Tensor query = graph.heads(query(graph, input), lengths.heads());
        Tensor plainQuery = part(graph, query, 0, lengths.plain());
        Tensor rotatedQuery =
                rotation.rotate(graph, part(graph, query, lengths.plain(), lengths.rotated()));
        Tensor row = graph.matmul(block(layer, "attn_kv_a_mqa"), input);
        Tensor latent =
                norm(
                        graph,
                        "attn_kv_a_norm",
                        graph.ops().view2d(row, lengths.latent(), row.ne(1), row.nb(1), 0));
        Tensor rotatedKey =
                rotation.rotate(
                        graph,
                        part(graph, graph.heads(row, 1), lengths.latent(), lengths.rotated()));
        return form == Form.ABSORBED
                ? absorbed(graph, plainQuery, rotatedQuery, latent, rotatedKey)
                : perHead(graph, plainQuery, rotatedQuery, latent, rotatedKey);
    }

    private Tensor query(ShardGraph graph, Tensor input) {
        if (lengths.queryLatent().isEmpty()) {
            return graph.matmul(block(layer, "attn_q"), input);
        }
        Tensor latent = graph.matmul(block(layer, "attn_q_a"), input);
        return graph.matmul(block(layer, "attn_q_b"), norm(graph, "attn_q_a_norm", latent));
    }

    private Tensor absorbed(
            ShardGraph graph,
            Tensor plainQuery,
            Tensor rotatedQuery,
            Tensor latent,
            Tensor rotatedKey) {
        Ops ops = graph.ops();
        Tensor perHead =
                graph.matmulPerHead(block(layer, "attn_k_b"), ops.permute(plainQuery, 0, 2, 1, 3));
        Tensor absorbed = ops.permute(perHead, 0, 2, 1, 3);
        Tensor values = ops.reshape3d(latent, lengths.latent(), 1, latent.ne(1));
        return graph.latentAttention(
                layer,
                grown(graph, ops.concat(absorbed, rotatedQuery, 0)),
                ops.concat(values, rotatedKey, 0),
                scale.scores());
    }

    private Tensor perHead(
            ShardGraph graph,
            Tensor plainQuery,
            Tensor rotatedQuery,
            Tensor latent,
            Tensor rotatedKey) {
        Ops ops = graph.ops();
        Tensor both = graph.heads(graph.matmul(block(layer, "attn_kv_b"), latent), lengths.heads());
        Tensor repeated =
                ops.repeat4d(rotatedKey, lengths.rotated(), lengths.heads(), latent.ne(1), 1);
        return graph.attention(
                layer,
                grown(graph, ops.concat(plainQuery, rotatedQuery, 0)),
                ops.concat(part(graph, both, 0, lengths.plain()), repeated, 0),
                ops.cont(part(graph, both, lengths.plain(), lengths.value())),
                scale.scores());
    }

    private Tensor grown(ShardGraph graph, Tensor query) {
        return scale.growth().isEmpty()
                ? query
                : graph.ops()
                        .mul(
                                query,
                                graph.positionFactor(
                                        scale.growth().get().interval(),
                                        scale.growth().get().growth()));
    }

    /** Views some elements of each head. */
    private static Tensor part(ShardGraph graph, Tensor heads, int first, int length) {
        return graph.ops()
                .view(
                        heads,
                        Extents.of(length, heads.ne(1), heads.ne(2)),
                        Strides.of(heads.nb(1), heads.nb(2)),
                        (long) first * Float.BYTES);
    }

    private Tensor norm(ShardGraph graph, String name, Tensor input) {
        return graph.norm(input, block(layer, name + ".weight"), scale.epsilon());
    }

    @Override
    public Tensor project(ShardGraph graph, Tensor mixed) {
        if (form == Form.PER_HEAD) {
            return graph.matmul(block(layer, "attn_output"), mixed);
        }
        Ops ops = graph.ops();
        long columns = mixed.ne(1);
        Tensor heads = ops.reshape3d(mixed, lengths.latent(), lengths.heads(), columns);
        Tensor values =
                graph.matmulPerHead(block(layer, "attn_v_b"), ops.permute(heads, 0, 2, 1, 3));
        Tensor rows =
                ops.cont2d(
                        ops.permute(values, 0, 2, 1, 3),
                        (long) lengths.value() * lengths.heads(),
                        columns);
        return graph.matmul(block(layer, "attn_output"), rows);
    }
}
