package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.ggml.RopeOptions.Yarn;
import dev.varve.api.model.ModelKeys;
import dev.varve.plugin.decoders.LatentAttention.Form;
import dev.varve.plugin.decoders.LatentAttention.Lengths;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.ChoiceBias;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Scoring;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.OptionalInt;

/** DeepSeek V2 and V3, GLM-4.7-Flash, Kimi K2: latent attention, and experts in groups. */
final class DeepseekReader {
    /** The stored multiplier is a tenth of the one that the formula has. */
    private static final float STORED_SHARE = 0.1f;

    private DeepseekReader() {}

    static Decoder deepseek2(DecoderFile file) {
        ModelKeys keys = file.keys();
        boolean absorbed =
                keys.has("attention.key_length_mla") && keys.has("attention.value_length_mla");
        Lengths lengths = lengths(file, absorbed);
        Rotation rotation = rotation(file, lengths.rotated());
        LatentAttention.Scale scale =
                new LatentAttention.Scale(
                        scale(file, lengths.key()),
                        LlamaReader.growth(file, "attention.temperature_length"),
                        file.backbone().epsilon());
        int dense = keys.count("leading_dense_block_count", Integer.MAX_VALUE);
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                new LatentAttention(
                                        layer,
                                        lengths,
                                        absorbed ? Form.ABSORBED : Form.PER_HEAD,
                                        rotation,
                                        scale),
                                layer < dense ? file.dense(layer) : mixture(file, layer),
                                Norms.BEFORE));
    }

    private static Lengths lengths(DecoderFile file, boolean absorbed) {
        ModelKeys keys = file.keys();
        int heads = keys.positive("attention.head_count");
        int latent = keys.positive("attention.kv_lora_rank");
        String keyName = absorbed ? "attention.key_length_mla" : "attention.key_length";
        int key = keys.positive(keyName);
        int value =
                keys.positive(absorbed ? "attention.value_length_mla" : "attention.value_length");
        int rotated = keys.ropeDimensions("rope.dimension_count", key, key);
        if (rotated >= key) {
            throw keys.wrong("rope.dimension_count", "below the key length " + key, rotated);
        }
        if (absorbed) {
            requireEqual(keys, "attention.key_length", latent + rotated);
            requireEqual(keys, "attention.value_length", latent);
        }
        requireEqual(keys, "attention.head_count_kv", absorbed ? 1 : heads);
        return new Lengths(
                heads,
                key,
                rotated,
                value,
                latent,
                isLite(file)
                        ? OptionalInt.empty()
                        : OptionalInt.of(keys.positive("attention.q_lora_rank")));
    }

    private static void requireEqual(ModelKeys keys, String name, int expected) {
        int found = keys.positive(name, expected);
        if (found != expected) {
            throw keys.wrong(name, String.valueOf(expected), found);
        }
    }

    /** The small models compute their queries without a latent row. */
    private static boolean isLite(DecoderFile file) {
        return file.keys().hasTensor(block(file.firstLayer(), "attn_q.weight"));
    }

    /** The magnitude of the rotation is 1, since {@link #scale} contains that of YaRN. */
    private static Rotation rotation(DecoderFile file, int rotated) {
        ModelKeys keys = file.keys();
        RopeOptions options =
                keys.scaledRopeWithFactors(
                        rotated, Mode.NORMAL, keys.ropeBase("rope.freq_base", 10000));
        if (multiplier(file) == 0 || options.yarn().extFactor() == 0) {
            return new Rotation(options, keys.ropeFactors());
        }
        Yarn yarn = options.yarn();
        float attention = 1 / keys.yarnMagnitude(1) * keys.number("rope.scaling.attn_factor", 1);
        return new Rotation(
                new RopeOptions(
                        rotated,
                        Mode.NORMAL,
                        options.freqBase(),
                        options.freqScale(),
                        new Yarn(
                                yarn.originalContext(),
                                yarn.extFactor(),
                                attention,
                                yarn.betaFast(),
                                yarn.betaSlow())),
                keys.ropeFactors());
    }

    private static float multiplier(DecoderFile file) {
        return file.keys().number("rope.scaling.yarn_log_multiplier", 0) / STORED_SHARE;
    }

    private static float scale(DecoderFile file, int key) {
        float magnitude = file.keys().yarnMagnitude(multiplier(file));
        return magnitude * magnitude / (float) Math.sqrt(key);
    }

    private static Mixture mixture(DecoderFile file, int layer) {
        int inner = file.keys().positive("expert_feed_forward_length");
        int shared = file.keys().positive("expert_shared_count");
        Router router = file.router(scoring(file), ChoiceBias.OPTIONAL, false);
        return file.mixture(layer, inner, router, file.shared(inner, shared));
    }

    /** Files of GLM-4.7-Flash that lack the key have the sizes of this model. */
    private static Scoring scoring(DecoderFile file) {
        int layers = file.backbone().layers() + file.backbone().skippedBlocks();
        boolean flash = (layers == 47 || layers == 48) && file.keys().vocabulary() == 154_880;
        return flash ? Scoring.SIGMOID : Scoring.SOFTMAX;
    }
}
