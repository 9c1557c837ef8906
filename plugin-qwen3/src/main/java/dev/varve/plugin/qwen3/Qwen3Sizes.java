package dev.varve.plugin.qwen3;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.DecoderBackbone;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ShardGraph.Projection;

import java.util.List;

/**
 * Hyper-parameters of a {@code qwen3} file; all layers are alike.
 *
 * @param backbone parameters of the whole model
 * @param heads heads of the attention
 * @param rope rotary embedding of queries and keys, over whole heads
 * @param feedForward width of the feed-forward
 */
record Qwen3Sizes(DecoderBackbone backbone, Heads heads, RopeOptions rope, int feedForward) {

    /**
     * Heads of the attention.
     *
     * @param query query heads
     * @param keyValue heads of K and V
     * @param length elements of one head, of queries, keys and values alike
     */
    record Heads(int query, int keyValue, int length) {
        long queryRows() {
            return (long) length * query;
        }

        /** Factor of the scores, in single precision as in other implementations. */
        float scale() {
            return 1 / (float) Math.sqrt(length);
        }

        /** State of a layer. */
        LayerState state() {
            return new LayerState.FullAttention(keyValue, length, length);
        }
    }

    /** Query, key and value rows of a layer. */
    List<Projection> projections(int layer) {
        return Projection.attention(
                layer, heads.queryRows(), (long) heads.length() * heads.keyValue());
    }

    static Qwen3Sizes read(GgufFile file, ModelOptions options) {
        ModelKeys keys = new ModelKeys(file, options);
        requireCausal(keys);
        DecoderBackbone backbone = keys.trunk();
        Heads heads = heads(keys, backbone);
        return new Qwen3Sizes(
                backbone, heads, rope(keys, heads.length()), keys.positive("feed_forward_length"));
    }

    private static Heads heads(ModelKeys keys, DecoderBackbone backbone) {
        int query = keys.positive("attention.head_count");
        int keyValue = keys.positive("attention.head_count_kv", query);
        keys.requireGroups(new int[] {query}, new int[] {keyValue});
        int length =
                keys.headLength(
                        "attention.key_length", "attention.value_length", backbone.width() / query);
        return new Heads(query, keyValue, length);
    }

    private static RopeOptions rope(ModelKeys keys, int headLength) {
        String name = "rope.dimension_count";
        int dimensions = keys.ropeDimensions(name, headLength, headLength);
        if (dimensions != headLength) {
            throw keys.wrong(name, headLength + " (the head length)", dimensions);
        }
        return keys.scaledRope(
                dimensions, RopeOptions.Mode.NEOX, keys.ropeBase("rope.freq_base", 10000));
    }

    /** Rejects embedding models, which may attend to later tokens and generate none. */
    private static void requireCausal(ModelKeys keys) {
        String name = "attention.causal";
        if (keys.has(name) && !keys.isSet(name)) {
            throw keys.wrong(name, "true, since the model generates text", false);
        }
    }
}
