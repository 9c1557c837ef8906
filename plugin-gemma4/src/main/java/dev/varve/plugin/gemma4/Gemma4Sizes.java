package dev.varve.plugin.gemma4;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;

import java.util.Optional;

/**
 * Hyper-parameters of a {@code gemma4} file.
 *
 * @param sliding per layer, whether it attends to a window (else to everything)
 * @param window positions that a token of a sliding layer sees
 * @param sources per layer, the layer whose K and V rows it reads: itself, or an earlier one
 * @param heads query heads per layer
 * @param kvHeads heads of K and V per layer
 * @param feedForward width of the dense feed-forward per layer
 * @param perLayerWidth width of the per-layer embeddings; 0 for none
 * @param softcap limit of the logits; 0 for none
 */
record Gemma4Sizes(
        int layers,
        int width,
        int vocabulary,
        int context,
        boolean[] sliding,
        int window,
        int[] sources,
        int[] heads,
        int[] kvHeads,
        int fullHeadLength,
        int slidingHeadLength,
        int[] feedForward,
        int perLayerWidth,
        Optional<Experts> experts,
        float softcap,
        float epsilon,
        RopeOptions fullRope,
        RopeOptions slidingRope) {

    /**
     * Mixture of experts beside the dense feed-forward.
     *
     * @param used experts per token
     * @param feedForward width of one expert
     */
    record Experts(int count, int used, int feedForward) {}

    /** Elements of a head, of queries, keys and values alike. */
    int headLength(int layer) {
        return sliding[layer] ? slidingHeadLength : fullHeadLength;
    }

    RopeOptions rope(int layer) {
        return sliding[layer] ? slidingRope : fullRope;
    }

    /** Whether a layer writes K and V rows of its own. */
    boolean ownsRows(int layer) {
        return sources[layer] == layer;
    }

    /** Number of leading layers behind which no layer writes rows of its own. */
    int owningLayers() {
        int owners = layers;
        while (owners > 0 && !ownsRows(owners - 1)) {
            owners--;
        }
        return owners;
    }

    /**
     * The last layer at which a shard may begin: from the first layer whose rows are shared on, all
     * layers stay together.
     */
    int lastBoundary() {
        int last = layers - 1;
        for (int layer = 0; layer < layers; layer++) {
            last = Math.min(last, ownsRows(layer) ? last : sources[layer]);
        }
        return last;
    }

    static Gemma4Sizes read(GgufFile file, ModelOptions options) {
        ModelKeys keys = new ModelKeys(file, options);
        int layers = keys.layers();
        boolean[] sliding =
                keys.flags("attention.sliding_window_pattern")
                        .orElseGet(() -> keys.slidingLayers(keys.layers()));
        int[] heads = keys.perLayer("attention.head_count");
        int[] kvHeads = keys.perLayer("attention.head_count_kv", heads);
        keys.requireGroups(heads, kvHeads);
        int full =
                keys.headLength(
                        "attention.key_length", "attention.value_length", keys.width() / heads[0]);
        int slide = keys.headLength("attention.key_length_swa", "attention.value_length_swa", full);
        float softcap = keys.number("final_logit_softcapping", 30);
        keys.require(softcap >= 0, "final_logit_softcapping", "from 0", softcap);
        return new Gemma4Sizes(
                layers,
                keys.width(),
                keys.vocabulary(),
                keys.context(),
                sliding,
                keys.positive("attention.sliding_window"),
                sources(keys, sliding),
                heads,
                kvHeads,
                full,
                slide,
                keys.perLayer("feed_forward_length"),
                keys.count("embedding_length_per_layer_input", 1 << 16),
                experts(keys),
                softcap,
                keys.epsilon(),
                keys.plainRope(
                        keys.ropeDimensions("rope.dimension_count", full, full),
                        RopeOptions.Mode.NEOX,
                        keys.ropeBase("rope.freq_base", 10000)),
                keys.plainRope(
                        keys.ropeDimensions("rope.dimension_count_swa", slide, slide),
                        RopeOptions.Mode.NEOX,
                        keys.ropeBase("rope.freq_base_swa", 10000)));
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
            keys.require(
                    source >= 0,
                    "attention.shared_kv_layers",
                    "a layer of the kind of layer " + layer + " among the first " + owners,
                    shared);
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
