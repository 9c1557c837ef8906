package dev.varve.plugin.laguna;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;

import java.util.Optional;

/**
 * Hyper-parameters of a {@code laguna} file.
 *
 * @param sliding per layer, whether it attends to a window (else to everything)
 * @param window positions that a token of a sliding layer sees; 0 where no layer slides
 * @param heads query heads per layer
 * @param kvHeads heads of K and V per layer
 * @param headLength elements of a head, of queries, keys and values alike
 * @param denseLayers leading layers with a dense feed-forward
 * @param feedForward width of the dense feed-forward
 */
record LagunaSizes(
        int layers,
        int skippedBlocks,
        int width,
        int vocabulary,
        int context,
        boolean[] sliding,
        int window,
        int[] heads,
        int[] kvHeads,
        int headLength,
        int denseLayers,
        int feedForward,
        Optional<Experts> experts,
        float epsilon,
        RopeOptions fullRope,
        RopeOptions slidingRope) {

    /** Period of the layers in which the first is full. */
    private static final int PERIOD = 4;

    /** {@code expert_gating_func} of a softmax router; all others are sigmoid. */
    private static final int SOFTMAX = 1;

    private static final int SIGMOID = 2;

    /**
     * Mixture of experts.
     *
     * @param used experts per token
     * @param feedForward width of an expert, per layer
     * @param shared width of the expert that works on every token
     * @param softmax whether the router's probabilities are a softmax (else sigmoids)
     * @param normalise whether the weights of a token are divided by their sum
     * @param scale factor of the weights; 0 for none
     */
    record Experts(
            int count,
            int used,
            int[] feedForward,
            int shared,
            boolean softmax,
            boolean normalise,
            float scale) {}

    /** Whether a layer has routed experts. */
    boolean isMixture(int layer) {
        return layer >= denseLayers;
    }

    RopeOptions rope(int layer) {
        return sliding[layer] ? slidingRope : fullRope;
    }

    static LagunaSizes read(GgufFile file, ModelOptions options) {
        ModelKeys keys = new ModelKeys(file, options);
        int[] heads = keys.perLayer("attention.head_count");
        int[] kvHeads = keys.perLayer("attention.head_count_kv", heads);
        keys.requireGroups(heads, kvHeads);
        int headLength =
                keys.headLength(
                        "attention.key_length", "attention.value_length", keys.width() / heads[0]);
        int window = keys.count("attention.sliding_window", Integer.MAX_VALUE);
        boolean[] sliding = window == 0 ? new boolean[keys.layers()] : keys.slidingLayers(PERIOD);
        int dense = keys.count("leading_dense_block_count", keys.layers());
        int dimensions = keys.ropeDimensions("rope.dimension_count", headLength, headLength);
        int slidingDimensions =
                keys.ropeDimensions("rope.dimension_count_swa", headLength, dimensions);
        float base = keys.ropeBase("rope.freq_base", 10000);
        return new LagunaSizes(
                keys.layers(),
                keys.skippedBlocks(),
                keys.width(),
                keys.vocabulary(),
                keys.context(),
                sliding,
                window,
                heads,
                kvHeads,
                headLength,
                dense,
                dense > 0 ? keys.perLayer("feed_forward_length")[0] : 0,
                dense < keys.layers() ? Optional.of(experts(keys)) : Optional.empty(),
                keys.epsilon(),
                // As libllama reads it: full layers turn as many dimensions as layer 0 does.
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
        keys.require(gating <= SIGMOID, "expert_gating_func", "1 (softmax) or 2 (sigmoid)", gating);
        int shared =
                keys.positive(
                        "expert_shared_feed_forward_length",
                        inner[inner.length - 1] * keys.positive("expert_shared_count", 1));
        return new Experts(
                count,
                used,
                inner,
                shared,
                gating == SOFTMAX,
                keys.flag("expert_weights_norm", false),
                keys.number("expert_weights_scale", 0));
    }
}
