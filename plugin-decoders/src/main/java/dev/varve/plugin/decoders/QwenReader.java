package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Shared;
import dev.varve.plugin.decoders.SelfAttention.HeadNorm;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;
import java.util.function.IntFunction;

/** Qwen 2 and 2.5, the Qwen models with experts, and Seed-OSS, whose layers are those of Qwen 2. */
final class QwenReader {
    private QwenReader() {}

    static Decoder qwen2(DecoderFile file) {
        return read(file, HeadNorm.NONE, file::dense, Norms.BEFORE);
    }

    static Decoder seedOss(DecoderFile file) {
        return read(file, HeadNorm.NONE, file::dense, Norms.before("post_attention_norm"));
    }

    /** Experts whose weights are not normalised, and a shared one with a gate. */
    static Decoder qwen2moe(DecoderFile file) {
        file.requireHead();
        int used = file.expertsUsed();
        return read(
                file,
                HeadNorm.NONE,
                layer -> {
                    int width = file.feedForwardLength(layer);
                    int shared = file.keys().positive("expert_shared_feed_forward_length", width);
                    return file.mixture(
                            layer,
                            file.keys().positive("expert_feed_forward_length", width / used),
                            Router.softmax(used, false),
                            Optional.of(new Shared(shared, true)));
                },
                Norms.BEFORE);
    }

    static Decoder qwen3moe(DecoderFile file) {
        int used = file.expertsUsed();
        return read(
                file,
                HeadNorm.BEFORE_ROTATION,
                layer ->
                        file.mixture(
                                layer,
                                file.keys().has("expert_feed_forward_length")
                                        ? file.keys().positive("expert_feed_forward_length")
                                        : file.feedForwardLength(layer) / used,
                                Router.softmax(used, true),
                                Optional.empty()),
                Norms.BEFORE);
    }

    private static Decoder read(
            DecoderFile file, HeadNorm norm, IntFunction<FeedForward> feedForward, Norms norms) {
        Rotation rotation = file.wholeRotation(Mode.NEOX);
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                file.attention(layer, Optional.of(rotation)).withNorm(norm),
                                feedForward.apply(layer),
                                norms));
    }
}
