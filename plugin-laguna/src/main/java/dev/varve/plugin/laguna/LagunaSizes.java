package dev.varve.plugin.laguna;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.DecoderBackbone;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ShardGraph.ExpertRouting;

import java.util.Optional;

/**
 * Hyper-parameters of a {@code laguna} file.
 *
 * @param backbone parameters of the whole model
 * @param attention sizes of the attention
 * @param dense the leading layers with a dense feed-forward
 * @param experts experts of the layers after them
 */
record LagunaSizes(
        DecoderBackbone backbone, Attention attention, Dense dense, Optional<Experts> experts) {

    /**
     * Attention.
     *
     * @param window which layers slide, and how far
     * @param heads query heads per layer
     * @param kvHeads heads of K and V per layer
     * @param headLength elements of a head, of queries, keys and values alike
     * @param ropes rotary embedding of each kind of layers
     */
    record Attention(Window window, int[] heads, int[] kvHeads, int headLength, Ropes ropes) {}

    /**
     * Sliding layers.
     *
     * @param sliding per layer, whether it attends to a window (else to everything)
     * @param tokens positions that a token of a sliding layer sees; unused if no layer slides
     */
    record Window(boolean[] sliding, int tokens) {}

    /** Rotary embeddings of full and of sliding layers. */
    record Ropes(RopeOptions full, RopeOptions sliding) {}

    /**
     * Dense feed-forward.
     *
     * @param layers number of leading layers that have it
     * @param feedForward its width; unused if no layer has it
     */
    record Dense(int layers, int feedForward) {}

    /** Period of the layers in which the first is full. */
    private static final int PERIOD = 4;

    /** {@code expert_gating_func} of a softmax router; all others are sigmoid. */
    private static final int SOFTMAX = 1;

    private static final int SIGMOID = 2;

    /**
     * Mixture of experts.
     *
     * @param count number of experts
     * @param feedForward width of an expert, per layer
     * @param shared width of the expert that every token uses
     * @param router choice of the experts
     */
    record Experts(int count, int[] feedForward, int shared, Router router) {}

    /** Function that computes the weights of experts from their scores. */
    enum Gating {
        SOFTMAX,
        SIGMOID
    }

    /**
     * Choice of the experts.
     *
     * @param gating function that computes probabilities from the scores
     * @param routing number and weighting of the experts of a token
     */
    record Router(Gating gating, ExpertRouting routing) {}

    /** Returns whether a layer has routed experts. */
    boolean isMixture(int layer) {
        return layer >= dense.layers();
    }

    boolean isSliding(int layer) {
        return attention.window().sliding()[layer];
    }

    RopeOptions rope(int layer) {
        return isSliding(layer) ? attention.ropes().sliding() : attention.ropes().full();
    }

    static LagunaSizes read(GgufFile file, ModelOptions options) {
        ModelKeys keys = new ModelKeys(file, options);
        DecoderBackbone backbone = keys.trunk();
        int dense = keys.count("leading_dense_block_count", backbone.layers());
        return new LagunaSizes(
                backbone,
                attention(keys, backbone),
                new Dense(dense, dense > 0 ? keys.perLayer("feed_forward_length")[0] : 0),
                dense < backbone.layers() ? Optional.of(experts(keys)) : Optional.empty());
    }

    private static Attention attention(ModelKeys keys, DecoderBackbone backbone) {
        int[] heads = keys.perLayer("attention.head_count");
        int[] kvHeads = keys.perLayer("attention.head_count_kv", heads);
        keys.requireGroups(heads, kvHeads);
        int length =
                keys.headLength(
                        "attention.key_length",
                        "attention.value_length",
                        backbone.width() / heads[0]);
        int window = keys.count("attention.sliding_window", Integer.MAX_VALUE);
        boolean[] sliding =
                window == 0 ? new boolean[backbone.layers()] : keys.slidingLayers(PERIOD);
        return new Attention(
                new Window(sliding, window), heads, kvHeads, length, ropes(keys, length, sliding));
    }

    private static Ropes ropes(ModelKeys keys, int headLength, boolean[] sliding) {
        int dimensions = keys.ropeDimensions("rope.dimension_count", headLength, headLength);
        int slidingDimensions =
                keys.ropeDimensions("rope.dimension_count_swa", headLength, dimensions);
        float base = keys.ropeBase("rope.freq_base", 10000);
        return new Ropes(
                // As in libllama: full layers rotate as many dimensions as layer 0 does.
                keys.scaledRope(
                        sliding[0] ? slidingDimensions : dimensions, RopeOptions.Mode.NEOX, base),
                keys.plainRope(
                        slidingDimensions,
                        RopeOptions.Mode.NEOX,
                        keys.ropeBase("rope.freq_base_swa", base)));
    }

    private static Experts experts(ModelKeys keys) {
        int count = keys.positive("expert_count");
        int used = keys.expertsUsed(count);
        int[] inner = keys.perLayer("expert_feed_forward_length");
        int gating = keys.count("expert_gating_func", Integer.MAX_VALUE);
        if (gating > SIGMOID) {
            throw keys.wrong("expert_gating_func", "1 (softmax) or 2 (sigmoid)", gating);
        }
        int shared =
                keys.positive(
                        "expert_shared_feed_forward_length",
                        inner[inner.length - 1] * keys.positive("expert_shared_count", 1));
        return new Experts(
                count,
                inner,
                shared,
                new Router(
                        gating == SOFTMAX ? Gating.SOFTMAX : Gating.SIGMOID,
                        new ExpertRouting(
                                used,
                                keys.isSet("expert_weights_norm"),
                                keys.number("expert_weights_scale", 0))));
    }
}
