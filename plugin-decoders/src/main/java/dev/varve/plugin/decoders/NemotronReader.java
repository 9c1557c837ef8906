package dev.varve.plugin.decoders;

import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.plugin.decoders.DenseFeedForward.Gate;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.ChoiceBias;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Scoring;
import dev.varve.plugin.decoders.Mixture.Shared;

import java.util.Optional;
import java.util.OptionalInt;

/** Nemotron-H: each layer is a scan, attention without positions, or a feed-forward. */
final class NemotronReader {
    /** {@code expert_gating_func} of these models. */
    private static final int SIGMOID = 2;

    private NemotronReader() {}

    static Decoder nemotron(DecoderFile file) {
        ModelKeys keys = file.keys();
        int[] heads = keys.perLayerOrZero("attention.head_count_kv");
        int[] inner = keys.perLayerOrZero("feed_forward_length");
        SelectiveScan.Lengths lengths = ScanReader.lengths(file);
        float epsilon = file.backbone().epsilon();
        keys.ignore("rope.freq_base", "rope.dimension_count", "rope.scaling.finetuned");
        return file.decoder(
                layer -> {
                    if (inner[layer] > 0) {
                        return layer(
                                file,
                                layer,
                                Optional.empty(),
                                Optional.of(feedForward(file, layer, inner[layer])));
                    }
                    Mixer mixer =
                            heads[layer] == 0
                                    ? new SelectiveScan(layer, lengths, epsilon)
                                    : file.attention(layer, Optional.empty());
                    return layer(file, layer, Optional.of(mixer), Optional.empty());
                });
    }

    private static Layer layer(
            DecoderFile file,
            int number,
            Optional<Mixer> mixer,
            Optional<FeedForward> feedForward) {
        return new Layer(
                number,
                mixer,
                feedForward,
                Norms.before("attn_norm"),
                file.backbone().epsilon(),
                1);
    }

    private static FeedForward feedForward(DecoderFile file, int layer, int inner) {
        return file.hasExperts()
                ? mixture(file, layer)
                : DenseFeedForward.of(layer, inner, Gate.NONE, Activation.RELU_SQUARED);
    }

    private static Mixture mixture(DecoderFile file, int layer) {
        ModelKeys keys = file.keys();
        int latent = keys.count("moe_latent_size", Integer.MAX_VALUE);
        int shared = keys.count("expert_shared_feed_forward_length", Integer.MAX_VALUE);
        return new Mixture(
                layer,
                file.experts(),
                keys.perLayerOrZero("expert_feed_forward_length")[layer],
                latent == 0 ? OptionalInt.empty() : OptionalInt.of(latent),
                router(file, layer),
                Activation.RELU_SQUARED,
                shared == 0 ? Optional.empty() : Optional.of(new Shared(shared, false)));
    }

    private static Router router(DecoderFile file, int layer) {
        ModelKeys keys = file.keys();
        int function = keys.count("expert_gating_func", 4);
        if (function != 0 && function != SIGMOID) {
            throw keys.wrong("expert_gating_func", SIGMOID + " (sigmoid)", function);
        }
        int used = keys.perLayerOrZero("expert_used_count")[layer];
        if (used < 1 || used > Math.min(file.experts(), 64)) {
            throw keys.wrong(
                    "expert_used_count",
                    "from 1 to " + file.experts() + " in layer " + layer,
                    used);
        }
        return new Router(
                Scoring.SIGMOID,
                ChoiceBias.REQUIRED,
                new ExpertRouting(
                        used,
                        keys.isSet("expert_weights_norm"),
                        keys.number("expert_weights_scale", 0)));
    }
}
