package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.SelfAttention.PositionGrowth;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;

/**
 * Llama, Mistral, and the many models that share their layers: attention and SwiGLU, or experts as
 * in Mixtral.
 */
final class LlamaReader {
    private LlamaReader() {}

    static Decoder llama(DecoderFile file) {
        return read(file, Optional.empty());
    }

    /** With queries that grow with their position. */
    static Decoder mistral3(DecoderFile file) {
        return read(file, growth(file, "rope.scaling.original_context_length"));
    }

    /**
     * Growth of the queries; empty where the file has none.
     *
     * @param interval key of the positions after which they grow
     */
    static Optional<PositionGrowth> growth(DecoderFile file, String interval) {
        float growth = file.keys().number("attention.temperature_scale", 0);
        return growth == 0
                ? Optional.empty()
                : Optional.of(new PositionGrowth(file.keys().positive(interval), growth));
    }

    private static Decoder read(DecoderFile file, Optional<PositionGrowth> growth) {
        Rotation rotation = file.wholeRotation(Mode.NORMAL);
        return file.decoder(
                layer -> {
                    SelfAttention attention = file.attention(layer, Optional.of(rotation));
                    SelfAttention.Scale scale =
                            new SelfAttention.Scale(attention.heads().scale(), 1, growth);
                    return file.layer(
                            layer,
                            attention.withScale(scale),
                            feedForward(file, layer),
                            Norms.BEFORE);
                });
    }

    private static FeedForward feedForward(DecoderFile file, int layer) {
        return file.hasExperts()
                ? file.mixture(
                        layer,
                        file.feedForwardLength(layer),
                        Router.softmax(file.expertsUsed(), true),
                        Optional.empty())
                : file.dense(layer);
    }
}
