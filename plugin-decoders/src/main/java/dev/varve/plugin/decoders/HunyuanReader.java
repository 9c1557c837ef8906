package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Shared;
import dev.varve.plugin.decoders.SelfAttention.HeadNorm;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;
import java.util.function.IntFunction;

/** Hunyuan: norms of the heads after their rotation. */
final class HunyuanReader {
    private HunyuanReader() {}

    static Decoder dense(DecoderFile file) {
        return read(file, stretched(file), file::dense);
    }

    static Decoder experts(DecoderFile file) {
        Router router = Router.softmax(file.expertsUsed(), true);
        return read(
                file,
                file.wholeRotation(Mode.NEOX),
                layer -> {
                    int width = file.feedForwardLength(layer);
                    return file.mixture(
                            layer,
                            file.keys().positive("expert_feed_forward_length", width),
                            router,
                            Optional.of(
                                    new Shared(
                                            file.keys()
                                                    .positive(
                                                            "expert_shared_feed_forward_length",
                                                            width),
                                            false)));
                });
    }

    /** A longer context stretches the base by {@code alpha^(D / (D - 2))}. */
    private static Rotation stretched(DecoderFile file) {
        Rotation rotation = file.wholeRotation(Mode.NEOX);
        float alpha = file.keys().number("rope.scaling.alpha", 0);
        if (!(alpha > 0)) {
            return rotation;
        }
        RopeOptions plain = rotation.options();
        float length = plain.dims();
        float stretch = (float) Math.pow(alpha, length / (length - 2));
        float base = plain.freqBase() * stretch;
        if (!(base > 0 && Float.isFinite(base))) {
            throw file.keys()
                    .wrong("rope.scaling.alpha", "a factor of a positive, finite base", alpha);
        }
        return new Rotation(
                new RopeOptions(plain.dims(), plain.mode(), base, plain.freqScale(), plain.yarn()),
                rotation.factors());
    }

    private static Decoder read(
            DecoderFile file, Rotation rotation, IntFunction<FeedForward> feedForward) {
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                file.attention(layer, Optional.of(rotation))
                                        .withNorm(HeadNorm.AFTER_ROTATION),
                                feedForward.apply(layer),
                                Norms.BEFORE));
    }
}
