package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.model.ModelKeys;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.SelfAttention.Rotation;
import dev.varve.plugin.decoders.SelfAttention.Scale;

import java.util.Optional;
import java.util.function.IntFunction;

/** Granite: factors of embeddings, parts and logits; dense, with experts, and with scans. */
final class GraniteReader {
    private GraniteReader() {}

    static Decoder dense(DecoderFile file) {
        return read(file, layer -> attention(file, layer, rotation(file, 0)));
    }

    /** Always with rotation, as in other implementations. */
    static Decoder experts(DecoderFile file) {
        file.keys().ignore("rope.scaling.finetuned");
        return read(
                file,
                layer -> attention(file, layer, Optional.of(file.wholeRotation(Mode.NORMAL))));
    }

    /** Layers without heads of keys have a scan instead of attention. */
    static Decoder hybrid(DecoderFile file) {
        int[] heads = file.keys().perLayerOrZero("attention.head_count_kv");
        SelectiveScan.Lengths lengths = ScanReader.lengths(file);
        return read(
                file,
                layer ->
                        heads[layer] == 0
                                ? new SelectiveScan(layer, lengths, file.backbone().epsilon())
                                : attention(file, layer, rotation(file, layer)));
    }

    private static Optional<Rotation> rotation(DecoderFile file, int layer) {
        ModelKeys keys = file.keys();
        String name = "rope.scaling.finetuned";
        if (keys.has(name) && !keys.isSet(name)) {
            keys.ignore("rope.freq_base", "rope.dimension_count");
            return Optional.empty();
        }
        return Optional.of(file.wholeRotation(Mode.NORMAL, layer));
    }

    private static Mixer attention(DecoderFile file, int layer, Optional<Rotation> rotation) {
        SelfAttention attention = file.attention(layer, rotation);
        float scale = factor(file, "attention.scale");
        return scale == 1 && !file.keys().has("attention.scale")
                ? attention
                : attention.withScale(Scale.scores(scale));
    }

    /** A factor that is not applied where it is missing or 0. */
    private static float factor(DecoderFile file, String name) {
        float factor = file.keys().number(name, 0);
        return factor == 0 ? 1 : factor;
    }

    private static float divisor(DecoderFile file, String name) {
        float divisor = factor(file, name);
        if (!Float.isFinite(1 / divisor)) {
            throw file.keys().wrong(name, "a number with a finite reciprocal", divisor);
        }
        return divisor;
    }

    private static Decoder read(DecoderFile file, IntFunction<Mixer> mixer) {
        float residual = factor(file, "residual_scale");
        return file.decoder(
                        layer ->
                                new Layer(
                                        layer,
                                        Optional.of(mixer.apply(layer)),
                                        Optional.of(feedForward(file, layer)),
                                        Norms.BEFORE,
                                        file.backbone().epsilon(),
                                        residual))
                .withEmbeddingScale(factor(file, "embedding_scale"))
                .withLogits(new Decoder.Logits(1 / divisor(file, "logit_scale"), 0));
    }

    private static FeedForward feedForward(DecoderFile file, int layer) {
        return file.hasExperts()
                ? file.mixture(
                        layer,
                        file.feedForwardLength(layer),
                        Router.softmax(file.expertsUsed(), true),
                        file.shared("expert_shared_feed_forward_length"))
                : file.dense(layer);
    }
}
