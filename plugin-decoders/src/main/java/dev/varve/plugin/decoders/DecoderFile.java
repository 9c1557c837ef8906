package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.DecoderBackbone;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertGroups;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.api.model.ShardGraph.ExpertWeighting;
import dev.varve.plugin.decoders.Mixture.ChoiceBias;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Scoring;
import dev.varve.plugin.decoders.Mixture.Shared;
import dev.varve.plugin.decoders.SelfAttention.HeadNorm;
import dev.varve.plugin.decoders.SelfAttention.Heads;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Reads the hyper-parameters that several architectures write in the same way. */
final class DecoderFile {
    private static final int MAX_EXPERTS = 4096;

    private final GgufFile file;
    private final ModelKeys keys;
    private final DecoderBackbone backbone;
    private final LayerRange described;

    /** The layers to describe. */
    private enum Part {
        BACKBONE,
        MTP_BLOCK
    }

    /** Describes the backbone. */
    DecoderFile(GgufFile file, ModelOptions options) {
        this(file, new ModelKeys(file, options), Part.BACKBONE);
    }

    private DecoderFile(GgufFile file, ModelKeys keys, Part part) {
        this.file = file;
        this.keys = keys;
        backbone = keys.trunk();
        int layers = backbone.layers();
        described =
                part == Part.BACKBONE ? backbone.allLayers() : new LayerRange(layers, layers + 1);
        requireCausal();
    }

    /** Describes the block for multi-token prediction alone, as a layer behind the backbone. */
    static DecoderFile ofMtpBlock(GgufFile file, ModelOptions options) {
        return new DecoderFile(file, new ModelKeys(file, options), Part.MTP_BLOCK);
    }

    /** Rejects embedding models, which may attend to later tokens and generate none. */
    private void requireCausal() {
        String name = "attention.causal";
        if (keys.has(name) && !keys.isSet(name)) {
            throw keys.wrong(name, "true, since the model generates text", false);
        }
    }

    ModelKeys keys() {
        return keys;
    }

    DecoderBackbone backbone() {
        return backbone;
    }

    /** First layer to describe. */
    int firstLayer() {
        return described.begin();
    }

    /** The layer of the backbone that keys describe a layer by: its last one for the block. */
    private int keyedLayer(int layer) {
        return Math.min(layer, backbone.layers() - 1);
    }

    /** Describes the model by its layers. */
    Decoder decoder(IntFunction<Layer> layer) {
        return new Decoder(
                backbone,
                IntStream.range(described.begin(), described.end()).mapToObj(layer).toList(),
                1,
                Decoder.Logits.plain());
    }

    /** A layer without a factor of its parts. */
    Layer layer(int number, Mixer mixer, FeedForward feedForward, Layer.Norms norms) {
        return new Layer(
                number, Optional.of(mixer), Optional.of(feedForward), norms, backbone.epsilon(), 1);
    }

    /** Checks that the file has an output head, where the embeddings cannot replace it. */
    void requireHead() {
        file.requireTensor("output.weight");
    }

    /** Heads of a layer that has attention. */
    Heads heads(int layer) {
        int keyed = keyedLayer(layer);
        int query = keys.perLayerOrZero("attention.head_count")[keyed];
        if (query == 0) {
            throw keys.wrong("attention.head_count", "from 1 in layer " + layer, query);
        }
        int keyValue =
                keys.has("attention.head_count_kv")
                        ? keys.perLayerOrZero("attention.head_count_kv")[keyed]
                        : query;
        if (keyValue == 0) {
            throw keys.wrong("attention.head_count_kv", "from 1 in layer " + layer, keyValue);
        }
        keys.requireGroups(new int[] {query}, new int[] {keyValue});
        int length =
                keys.headLength(
                        "attention.key_length", "attention.value_length", backbone.width() / query);
        return new Heads(query, keyValue, length);
    }

    /** Attention to all earlier tokens with the usual factor of the scores. */
    SelfAttention attention(int layer, Optional<Rotation> rotation) {
        Heads heads = heads(layer);
        return new SelfAttention(
                layer,
                heads,
                HeadNorm.NONE,
                rotation,
                SelfAttention.Scale.scores(heads.scale()),
                OptionalInt.empty(),
                false,
                backbone.epsilon());
    }

    /** Rotation of whole heads, with scaling and factors of the file. */
    Rotation wholeRotation(RopeOptions.Mode mode) {
        return wholeRotation(mode, 0);
    }

    /**
     * The same where not all layers have attention.
     *
     * @param layer one that has
     */
    Rotation wholeRotation(RopeOptions.Mode mode, int layer) {
        int length = heads(layer).length();
        Rotation rotation = rotation(mode, length);
        if (rotation.options().dims() != length) {
            throw keys.wrong(
                    "rope.dimension_count",
                    length + " (the head length)",
                    rotation.options().dims());
        }
        return rotation;
    }

    /** Rotation of the first elements of a head, with scaling and factors of the file. */
    Rotation rotation(RopeOptions.Mode mode) {
        return rotation(mode, heads(0).length());
    }

    private Rotation rotation(RopeOptions.Mode mode, int headLength) {
        return new Rotation(
                keys.scaledRopeWithFactors(
                        keys.ropeDimensions("rope.dimension_count", headLength, headLength),
                        mode,
                        keys.ropeBase("rope.freq_base", 10000)),
                keys.ropeFactors());
    }

    /** Rotation without scaling. */
    Rotation plainRotation(RopeOptions.Mode mode, float base) {
        int length = heads(0).length();
        int dimensions = keys.ropeDimensions("rope.dimension_count", length, length);
        return new Rotation(keys.plainRope(dimensions, mode, base), Optional.empty());
    }

    /** Inner width of a layer's dense feed-forward. */
    int feedForwardLength(int layer) {
        return keys.perLayer("feed_forward_length")[keyedLayer(layer)];
    }

    /** SwiGLU with the file's inner width. */
    DenseFeedForward dense(int layer) {
        return DenseFeedForward.of(layer, feedForwardLength(layer));
    }

    boolean hasExperts() {
        return keys.count("expert_count", MAX_EXPERTS) > 0;
    }

    int experts() {
        int experts = keys.count("expert_count", MAX_EXPERTS);
        if (experts == 0) {
            throw keys.wrong("expert_count", "at least 1", experts);
        }
        return experts;
    }

    int expertsUsed() {
        return keys.expertsUsed(experts());
    }

    /** SwiGLU experts of a layer. */
    Mixture mixture(int layer, int inner, Router router, Optional<Shared> shared) {
        if (keys.hasTensor(block(layer, "ffn_gate.0.weight"))) {
            throw new ModelFormatException(
                    file.path(),
                    "tensor " + block(layer, "ffn_gate_exps.weight"),
                    "one tensor of all experts",
                    "a tensor per expert, as older converters wrote them");
        }
        return new Mixture(
                layer, experts(), inner, OptionalInt.empty(), router, Activation.SILU, shared);
    }

    /**
     * The shared expert of a width that may be missing or 0.
     *
     * @param key of its inner width
     */
    Optional<Shared> shared(String key) {
        int inner = keys.count(key, Integer.MAX_VALUE);
        return inner == 0 ? Optional.empty() : Optional.of(new Shared(inner, false));
    }

    /**
     * The shared experts of a number of experts.
     *
     * @param inner inner width of one
     * @param count their number, from {@code expert_shared_count}
     */
    Optional<Shared> shared(int inner, int count) {
        int most = Integer.MAX_VALUE / inner;
        if (count > most) {
            throw keys.wrong("expert_shared_count", "from 1 to " + most, count);
        }
        return Optional.of(new Shared(inner * count, false));
    }

    /**
     * The router that {@code expert_gating_func} and the keys beside it describe.
     *
     * @param fallback where the function is missing
     * @param normalised whether the weights are divided by their sum, where the key is missing
     */
    Router router(Scoring fallback, ChoiceBias bias, boolean normalised) {
        Scoring scoring =
                switch (keys.count("expert_gating_func", 3)) {
                    case 0 -> fallback;
                    case 1 -> Scoring.SOFTMAX;
                    case 2 -> Scoring.SIGMOID;
                    default -> Scoring.LOGITS;
                };
        return new Router(
                scoring,
                bias,
                new ExpertRouting(
                        expertsUsed(),
                        keys.has("expert_weights_norm")
                                ? keys.isSet("expert_weights_norm")
                                : normalised,
                        keys.number("expert_weights_scale", 0),
                        scoring == Scoring.LOGITS
                                ? ExpertWeighting.SOFTMAX_OF_CHOSEN
                                : ExpertWeighting.PROBABILITIES,
                        groups()));
    }

    private ExpertGroups groups() {
        int count = keys.count("expert_group_count", MAX_EXPERTS);
        if (count <= 1) {
            return ExpertGroups.none();
        }
        int used = keys.count("expert_group_used_count", MAX_EXPERTS);
        if (experts() % count != 0 || experts() / count < 2) {
            throw keys.wrong(
                    "expert_group_count",
                    "a divisor of " + experts() + " experts with 2 or more in a group",
                    count);
        }
        if (used < 1 || used > count || (long) experts() / count * used < expertsUsed()) {
            throw keys.wrong(
                    "expert_group_used_count",
                    "from 1 to " + count + " groups with " + expertsUsed() + " experts",
                    used);
        }
        return new ExpertGroups(count, used);
    }
}
