package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelKeys.FullLayer;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertGroups;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.api.model.ShardGraph.ExpertWeighting;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.ChoiceBias;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Scoring;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;
import java.util.OptionalInt;

/** gpt-oss: attention with sinks in alternating windows, experts with biases. */
final class GptOssReader {
    private GptOssReader() {}

    static Decoder gptOss(DecoderFile file) {
        file.requireHead();
        ModelKeys keys = file.keys();
        int window = keys.positive("attention.sliding_window");
        boolean[] sliding = keys.slidingLayers(2, FullLayer.LAST);
        Rotation full = file.wholeRotation(Mode.NEOX);
        RopeOptions options = full.options();
        Rotation near =
                new Rotation(
                        new RopeOptions(
                                options.dims(),
                                options.mode(),
                                keys.ropeBase("rope.freq_base_swa", options.freqBase()),
                                options.freqScale(),
                                options.yarn()),
                        full.factors());
        int inner = keys.positive("expert_feed_forward_length");
        Router router =
                new Router(
                        Scoring.LOGITS,
                        ChoiceBias.NONE,
                        new ExpertRouting(
                                file.expertsUsed(),
                                false,
                                keys.number("expert_weights_scale", 0),
                                ExpertWeighting.SOFTMAX_OF_CHOSEN,
                                ExpertGroups.none()));
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                file.attention(layer, Optional.of(sliding[layer] ? near : full))
                                        .withSinks()
                                        .withWindow(
                                                sliding[layer]
                                                        ? OptionalInt.of(window)
                                                        : OptionalInt.empty()),
                                new Mixture(
                                        layer,
                                        file.experts(),
                                        inner,
                                        OptionalInt.empty(),
                                        router,
                                        Activation.LIMITED_SWIGLU,
                                        Optional.empty()),
                                Norms.before("post_attention_norm")));
    }
}
