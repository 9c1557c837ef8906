package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.plugin.decoders.DenseFeedForward.Gate;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.ChoiceBias;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Scoring;
import dev.varve.plugin.decoders.SelfAttention.HeadNorm;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;

/** GLM 4 dense and with experts, and MiniMax-M2: rotation of a part of each head. */
final class GlmReader {
    private GlmReader() {}

    static Decoder glm4(DecoderFile file) {
        Rotation rotation = file.rotation(Mode.NORMAL);
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                file.attention(layer, Optional.of(rotation)),
                                DenseFeedForward.of(
                                        layer,
                                        file.feedForwardLength(layer),
                                        Gate.IN_UP,
                                        Activation.SILU),
                                Norms.BOTH));
    }

    static Decoder glm4moe(DecoderFile file) {
        Rotation rotation = file.rotation(Mode.NEOX);
        int dense = file.keys().count("leading_dense_block_count", Integer.MAX_VALUE);
        Router router = file.router(Scoring.SIGMOID, ChoiceBias.REQUIRED, false);
        int inner = file.keys().positive("expert_feed_forward_length");
        int shared = file.keys().positive("expert_shared_count", 1);
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                file.attention(layer, Optional.of(rotation))
                                        .withNorm(headNorm(file, layer)),
                                layer < dense
                                        ? file.dense(layer)
                                        : file.mixture(
                                                layer, inner, router, file.shared(inner, shared)),
                                Norms.before("post_attention_norm")));
    }

    /** The largest models have norms of their heads. */
    private static HeadNorm headNorm(DecoderFile file, int layer) {
        return file.keys().hasTensor(block(layer, "attn_q_norm.weight"))
                ? HeadNorm.BEFORE_ROTATION
                : HeadNorm.NONE;
    }

    static Decoder minimaxM2(DecoderFile file) {
        file.requireHead();
        Rotation rotation = file.rotation(Mode.NEOX);
        Router router = file.router(Scoring.SIGMOID, ChoiceBias.REQUIRED, true);
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                file.attention(layer, Optional.of(rotation))
                                        .withNorm(HeadNorm.ALL_HEADS),
                                file.mixture(
                                        layer,
                                        file.keys()
                                                .positive(
                                                        "expert_feed_forward_length",
                                                        file.feedForwardLength(layer)),
                                        router,
                                        Optional.empty()),
                                Norms.BEFORE));
    }
}
