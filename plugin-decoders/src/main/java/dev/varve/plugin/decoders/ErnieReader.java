package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.Mixture.ChoiceBias;
import dev.varve.plugin.decoders.Mixture.Router;
import dev.varve.plugin.decoders.Mixture.Scoring;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;
import java.util.function.IntFunction;

/** ERNIE 4.5, dense and with experts in every n-th layer. */
final class ErnieReader {
    private ErnieReader() {}

    static Decoder dense(DecoderFile file) {
        return read(file, file::dense);
    }

    static Decoder experts(DecoderFile file) {
        int dense = file.keys().count("leading_dense_block_count", Integer.MAX_VALUE);
        int step = file.keys().positive("interleave_moe_layer_step", 1);
        Router router =
                new Router(
                        Scoring.SOFTMAX,
                        ChoiceBias.OPTIONAL,
                        new ExpertRouting(file.expertsUsed(), true, 1));
        return read(
                file,
                layer ->
                        layer >= dense && (layer + 1) % step == 0
                                ? file.mixture(
                                        layer,
                                        file.keys().positive("expert_feed_forward_length"),
                                        router,
                                        file.shared("expert_shared_feed_forward_length"))
                                : file.dense(layer));
    }

    private static Decoder read(DecoderFile file, IntFunction<FeedForward> feedForward) {
        Rotation rotation = file.wholeRotation(Mode.NORMAL);
        return file.decoder(
                layer ->
                        file.layer(
                                layer,
                                file.attention(layer, Optional.of(rotation)),
                                feedForward.apply(layer),
                                Norms.BEFORE));
    }
}
