package dev.varve.plugin.gemma4;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.DecoderBackbone;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;

import java.util.Optional;

/**
 * Hyper-parameters of a {@code gemma4} file.
 *
 * @param backbone parameters of the whole model
 * @param rows source layers of the K and V rows that each layer reads
 * @param attention sizes of the attention
 * @param feedForward sizes of the feed-forward after it
 * @param extras parameters of some variants only
 */
record Gemma4Sizes(
        DecoderBackbone backbone,
        Rows rows,
        Attention attention,
        FeedForward feedForward,
        Extras extras) {

    /**
     * K and V rows.
     *
     * @param sliding per layer, whether it attends to a window (else to everything)
     * @param window positions that a token of a sliding layer sees
     * @param sources per layer, the layer whose rows it reads: itself, or an earlier one
     */
    record Rows(boolean[] sliding, int window, int[] sources) {}

    /**
     * Attention.
     *
     * @param heads query heads per layer
     * @param kvHeads heads of K and V per layer
     * @param full of the full layers
     * @param sliding of the sliding layers
     */
    record Attention(int[] heads, int[] kvHeads, Head full, Head sliding) {
        /** The heads of a kind of layers. */
        Head head(boolean slides) {
            return slides ? sliding : full;
        }
    }

    /**
     * A head of one kind of layers.
     *
     * @param length its elements, of queries, keys and values alike
     * @param rope its rotary embedding
     */
    record Head(int length, RopeOptions rope) {}

    /**
     * Feed-forward.
     *
     * @param widths of the dense one, per layer
     * @param experts beside it
     */
    record FeedForward(int[] widths, Optional<Experts> experts) {}

    /**
     * Parameters of some variants only.
     *
     * @param perLayerWidth width of the per-layer embeddings; 0 for none
     * @param softcap limit of the logits; 0 for none
     */
    record Extras(int perLayerWidth, float softcap) {}

    /**
     * Mixture of experts beside the dense feed-forward.
     *
     * @param used experts per token
     * @param feedForward width of one expert
     */
    record Experts(int count, int used, int feedForward) {}

    /** Elements of a head, of queries, keys and values alike. */
    int headLength(int layer) {
        return head(layer).length();
    }

    RopeOptions rope(int layer) {
        return head(layer).rope();
    }

    private Head head(int layer) {
        return attention.head(isSliding(layer));
    }

    boolean isSliding(int layer) {
        return rows.sliding()[layer];
    }

    int layers() {
        return backbone.layers();
    }

    int width() {
        return backbone.width();
    }

    int perLayerWidth() {
        return extras.perLayerWidth();
    }

    /** Returns whether a layer writes K and V rows of its own. */
    boolean ownsRows(int layer) {
        return rows.sources()[layer] == layer;
    }

    /** Number of leading layers after which no layer writes rows of its own. */
    int owningLayers() {
        int owners = layers();
        while (owners > 0 && !ownsRows(owners - 1)) {
            owners--;
        }
        return owners;
    }

    /**
     * The last layer at which a shard may begin: the layers from the first one with shared rows
     * must stay together.
     */
    int lastBoundary() {
        int last = layers() - 1;
        for (int layer = 0; layer < layers(); layer++) {
            last = Math.min(last, ownsRows(layer) ? last : rows.sources()[layer]);
        }
        return last;
    }

    static Gemma4Sizes read(GgufFile file, ModelOptions options) {
        ModelKeys keys = new ModelKeys(file, options);
        DecoderBackbone backbone = keys.trunk();
        boolean[] sliding = sliding(keys);
        float softcap = keys.number("final_logit_softcapping", 30);
        if (!(softcap >= 0)) {
            throw keys.wrong("final_logit_softcapping", "from 0", softcap);
        }
        return new Gemma4Sizes(
                backbone,
                new Rows(
                        sliding, keys.positive("attention.sliding_window"), sources(keys, sliding)),
                attention(keys, backbone.width()),
                new FeedForward(keys.perLayer("feed_forward_length"), experts(keys)),
                new Extras(keys.count("embedding_length_per_layer_input", 1 << 16), softcap));
    }

    /** Returns which layers attend to a window. */
    static boolean[] sliding(ModelKeys keys) {
        return keys.flags("attention.sliding_window_pattern")
                .orElseGet(() -> keys.slidingLayers(keys.layers()));
    }

    /** Sizes of the attention of layers of a width. */
    static Attention attention(ModelKeys keys, int width) {
        int[] heads = keys.perLayer("attention.head_count");
        int[] kvHeads = keys.perLayer("attention.head_count_kv", heads);
        keys.requireGroups(heads, kvHeads);
        int full =
                keys.headLength("attention.key_length", "attention.value_length", width / heads[0]);
        int sliding =
                keys.headLength("attention.key_length_swa", "attention.value_length_swa", full);
        return new Attention(heads, kvHeads, head(keys, "", full), head(keys, "_swa", sliding));
    }

    /**
     * @param suffix of the keys of a kind of layers
     */
    private static Head head(ModelKeys keys, String suffix, int length) {
        return new Head(
                length,
                keys.plainRope(
                        keys.ropeDimensions("rope.dimension_count" + suffix, length, length),
                        RopeOptions.Mode.NEOX,
                        keys.ropeBase("rope.freq_base" + suffix, 10000)));
    }

    /** The trailing layers read the rows of the last layer of their kind that has some. */
    private static int[] sources(ModelKeys keys, boolean[] sliding) {
        int shared = keys.count("attention.shared_kv_layers", keys.layers() - 1);
        int owners = keys.layers() - shared;
        int[] sources = new int[keys.layers()];
        for (int layer = 0; layer < sources.length; layer++) {
            int source = Math.min(layer, owners - 1);
            while (source >= 0 && sliding[source] != sliding[layer]) {
                source--;
            }
            if (source < 0) {
                throw keys.wrong(
                        "attention.shared_kv_layers",
                        "a layer of the same kind as layer " + layer + " among the first " + owners,
                        shared);
            }
            sources[layer] = source;
        }
        return sources;
    }

    private static Optional<Experts> experts(ModelKeys keys) {
        int count = keys.count("expert_count", 1 << 16);
        if (count == 0) {
            return Optional.empty();
        }
        int used = keys.expertsUsed(count);
        return Optional.of(new Experts(count, used, keys.positive("expert_feed_forward_length")));
    }
}
