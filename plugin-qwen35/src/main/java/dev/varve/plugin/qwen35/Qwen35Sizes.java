package dev.varve.plugin.qwen35;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.DecoderBackbone;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ShardGraph.Projection;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Hyper-parameters of a {@code qwen35}, {@code qwen35moe} or {@code qwen3next} file.
 *
 * @param backbone parameters of the whole model
 * @param recurrent per layer, whether it is a gated delta net (else full attention)
 * @param attention sizes of the full attention layers
 * @param deltaNet sizes of the gated delta nets
 * @param feedForward sizes of the feed-forward after either
 */
record Qwen35Sizes(
        DecoderBackbone backbone,
        boolean[] recurrent,
        Attention attention,
        DeltaNet deltaNet,
        FeedForward feedForward) {
    /** Architecture of the model before Qwen 3.5. */
    static final String QWEN3_NEXT = "qwen3next";

    /**
     * Full attention.
     *
     * @param heads counts and length of the heads
     * @param scale factor of the scores
     * @param rope rotary embedding of queries and keys
     */
    record Attention(Heads heads, float scale, Rotation rope) {
        /** State of such a layer. */
        LayerState.FullAttention state() {
            return new LayerState.FullAttention(heads.keyValue(), heads.length(), heads.length());
        }
    }

    /**
     * Heads of the attention.
     *
     * @param query query heads
     * @param keyValue heads of K and V
     * @param length elements of one head, K and V alike
     */
    record Heads(int query, int keyValue, int length) {}

    /**
     * Rotary embedding.
     *
     * @param sections rotary pairs per position axis; none for positions of text alone
     */
    record Rotation(RopeOptions options, int[] sections) {}

    /**
     * Feed-forward, or experts in its place.
     *
     * @param widths per layer; unused if there are experts
     */
    record FeedForward(int[] widths, Optional<Experts> experts) {}

    /**
     * Mixture of experts.
     *
     * @param used experts per token
     * @param feedForward width of one expert
     * @param shared width of the expert that every token uses
     */
    record Experts(int count, int used, int feedForward, int shared) {}

    /** Tensors of the inputs of a gated delta net, and the key head of each value head. */
    enum NetForm {
        /** A matrix for each input; value head h uses key head h modulo the key heads. */
        TILED,
        /**
         * One matrix for betas and alphas, in runs of a key head, and consecutive value heads for
         * each key head.
         */
        GROUPED,
        /** Likewise, and one matrix for queries, keys, values and gates, in such runs. */
        JOINED;

        boolean isGrouped() {
            return this != TILED;
        }
    }

    /**
     * Sizes of the gated delta nets.
     *
     * @param keyHeads key heads
     * @param valueHeads value heads
     * @param stateSize elements of one head, K and V alike
     */
    record DeltaNet(int convKernel, int keyHeads, int valueHeads, int stateSize, NetForm form) {
        /** Channels of the convolution: all query, key and value heads. */
        int convChannels() {
            return 2 * keyLength() + valueLength();
        }

        int keyLength() {
            return keyHeads * stateSize;
        }

        int valueLength() {
            return valueHeads * stateSize;
        }

        /** Value heads of a key head. */
        int group() {
            return valueHeads / keyHeads;
        }
    }

    /** Query and gate rows, key rows, value rows of a full attention layer. */
    List<Projection> projections(int layer) {
        Heads heads = attention.heads();
        return Projection.attention(
                layer,
                2L * heads.length() * heads.query(),
                (long) heads.length() * heads.keyValue());
    }

    static Qwen35Sizes read(GgufFile file, ModelOptions options) {
        ModelKeys keys = new ModelKeys(file, options);
        DecoderBackbone backbone = keys.trunk();
        boolean[] recurrent = recurrentLayers(keys);
        return new Qwen35Sizes(
                backbone,
                recurrent,
                attention(keys, backbone, recurrent),
                deltaNet(keys, backbone.architecture(), recurrent),
                !backbone.architecture().equals("qwen35")
                        ? new FeedForward(new int[keys.layers()], Optional.of(experts(keys)))
                        : new FeedForward(keys.perLayer("feed_forward_length"), Optional.empty()));
    }

    private static Attention attention(
            ModelKeys keys, DecoderBackbone backbone, boolean[] recurrent) {
        int heads = attentionValue(keys, "attention.head_count", recurrent, Optional.empty());
        int kvHeads =
                attentionValue(keys, "attention.head_count_kv", recurrent, Optional.of(heads));
        keys.requireGroups(new int[] {heads}, new int[] {kvHeads});
        int length =
                keys.headLength(
                        "attention.key_length", "attention.value_length", backbone.width() / heads);
        int dimensions = keys.ropeDimensions("rope.dimension_count", length, length);
        boolean text = backbone.architecture().equals(QWEN3_NEXT);
        RopeOptions options =
                keys.scaledRope(
                        dimensions,
                        text ? RopeOptions.Mode.NEOX : RopeOptions.Mode.INTERLEAVED_MULTI_AXIS,
                        keys.ropeBase("rope.freq_base", 10000));
        return new Attention(
                new Heads(heads, kvHeads, length),
                attentionScale(keys, length),
                new Rotation(options, text ? new int[0] : sections(keys, dimensions)));
    }

    private static Experts experts(ModelKeys keys) {
        int count = keys.positive("expert_count");
        int used = keys.expertsUsed(count);
        int feedForward =
                keys.has("feed_forward_length")
                        ? Arrays.stream(keys.perLayerOrZero("feed_forward_length")).max().orElse(0)
                        : 0;
        int expert = keys.positive("expert_feed_forward_length", Math.max(1, feedForward / used));
        return new Experts(
                count,
                used,
                expert,
                keys.positive(
                        "expert_shared_feed_forward_length",
                        feedForward > 0 ? feedForward : expert));
    }

    private static NetForm form(ModelKeys keys, String architecture, boolean[] recurrent) {
        if (!architecture.equals(QWEN3_NEXT)) {
            return NetForm.TILED;
        }
        for (int layer = 0; layer < recurrent.length; layer++) {
            if (recurrent[layer] && keys.hasTensor(block(layer, "ssm_in.weight"))) {
                return NetForm.JOINED;
            }
        }
        return NetForm.GROUPED;
    }

    private static DeltaNet deltaNet(ModelKeys keys, String architecture, boolean[] recurrent) {
        int stateSize = keys.positive("ssm.state_size");
        int keyHeads = keys.positive("ssm.group_count");
        int valueHeads = keys.positive("ssm.time_step_rank");
        long inner = keys.positive("ssm.inner_size");
        if (inner != (long) valueHeads * stateSize) {
            throw keys.wrong("ssm.inner_size", valueHeads + " value heads x " + stateSize, inner);
        }
        if (valueHeads % keyHeads != 0) {
            throw keys.wrong(
                    "ssm.time_step_rank", "a multiple of " + keyHeads + " key heads", valueHeads);
        }
        if (stateSize > 1024) {
            throw keys.wrong("ssm.state_size", "at most 1024", stateSize);
        }
        if ((2L * keyHeads + valueHeads) * stateSize > 1 << 24) {
            throw keys.wrong("ssm.inner_size", "at most 2^24 channels", inner);
        }
        int kernel = keys.positive("ssm.conv_kernel");
        if (kernel < 2 || kernel > 64) {
            throw keys.wrong("ssm.conv_kernel", "from 2 to 64", kernel);
        }
        return new DeltaNet(
                kernel, keyHeads, valueHeads, stateSize, form(keys, architecture, recurrent));
    }

    private static boolean[] recurrentLayers(ModelKeys keys) {
        Optional<boolean[]> flags = keys.flags("attention.recurrent_layers");
        if (flags.isPresent()) {
            return flags.get();
        }
        int interval = keys.positive("full_attention_interval", 4);
        boolean[] recurrent = new boolean[keys.layers()];
        for (int layer = 0; layer < recurrent.length; layer++) {
            recurrent[layer] = (layer + 1) % interval != 0;
        }
        return recurrent;
    }

    /**
     * A count that may be given per layer, with any value for delta net layers; returns the value
     * of the attention layers.
     */
    private static int attentionValue(
            ModelKeys keys, String name, boolean[] recurrent, Optional<Integer> fallback) {
        if (fallback.isPresent() && !keys.has(name)) {
            return fallback.get();
        }
        int[] values = keys.perLayerOrZero(name);
        int[] distinct = new int[values.length];
        int count = 0;
        for (int layer = 0; layer < values.length; layer++) {
            if (!recurrent[layer]) {
                distinct[count++] = values[layer];
            }
        }
        int[] found = Arrays.stream(distinct, 0, count).distinct().toArray();
        if (count == 0) {
            found = Arrays.stream(values).filter(value -> value > 0).distinct().toArray();
        }
        if (found.length != 1 || found[0] <= 0 || found[0] > 1 << 16) {
            throw keys.wrong(name, "one positive value for all attention layers", found);
        }
        return found[0];
    }

    private static float attentionScale(ModelKeys keys, int headLength) {
        float scale = keys.number("attention.scale", 0);
        // In single precision, as in other implementations: the last bit changes results of
        // quantised models by a percent.
        return scale == 0 ? 1 / (float) Math.sqrt(headLength) : scale;
    }

    private static int[] sections(ModelKeys keys, int dimensions) {
        String name = "rope.dimension_sections";
        long[] values = keys.integers(name);
        if (values.length < 3 || values.length > 4) {
            throw keys.wrong(name, "3 or 4 entries", values.length);
        }
        int[] sections = new int[4];
        long sum = 0;
        for (int axis = 0; axis < values.length; axis++) {
            if (values[axis] < 0 || values[axis] > dimensions) {
                throw keys.wrong(name, "entries from 0 to " + dimensions, values[axis]);
            }
            sections[axis] = (int) values[axis];
            sum += values[axis];
        }
        if (sum != dimensions / 2) {
            throw keys.wrong(
                    name, "a sum of " + dimensions / 2 + " (half of rope.dimension_count)", sum);
        }
        return sections;
    }
}
