package dev.varve.plugin.embedders;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.TextEncoder;
import dev.varve.plugin.embedders.BertEncoder.Experts;
import dev.varve.plugin.embedders.BertEncoder.FeedForward;
import dev.varve.plugin.embedders.BertEncoder.Position;

import java.util.Optional;

/** Files of BERT and of models whose layers have their norms behind them, as BERT's. */
final class BertReader {
    /** Largest slope of ALiBi. */
    private static final float MAX_BIAS = 8;

    private BertReader() {}

    static TextEncoder bert(GgufFile file, ModelKeys keys) {
        return read(
                file,
                keys,
                new Position.Table(),
                new FeedForward(false, Activation.GELU, Optional.empty()));
    }

    static TextEncoder nomic(GgufFile file, ModelKeys keys) {
        return read(
                file,
                keys,
                rotation(keys),
                new FeedForward(true, Activation.SILU, Optional.empty()));
    }

    /** Every second layer has experts, unless the file says otherwise. */
    static TextEncoder nomicMoe(GgufFile file, ModelKeys keys) {
        int count = keys.positive("expert_count");
        Experts experts =
                new Experts(keys.positive("moe_every_n_layers", 2), count, keys.expertsUsed(count));
        return read(
                file,
                keys,
                rotation(keys),
                new FeedForward(false, Activation.GELU, Optional.of(experts)));
    }

    static TextEncoder jina2(GgufFile file, ModelKeys keys) {
        return read(
                file,
                keys,
                new Position.Slopes(MAX_BIAS),
                new FeedForward(true, Activation.GELU, Optional.empty()));
    }

    static TextEncoder jina3(GgufFile file, ModelKeys keys) {
        return read(
                file,
                keys,
                rotation(keys),
                new FeedForward(false, Activation.GELU, Optional.empty()));
    }

    private static Position rotation(ModelKeys keys) {
        EncoderSizes.Heads heads =
                new EncoderSizes.Heads(
                        keys.positive("attention.head_count"),
                        keys.positive("attention.head_count"),
                        keys.width() / keys.positive("attention.head_count"));
        int dimensions =
                keys.ropeDimensions("rope.dimension_count", heads.length(), heads.length());
        return new Position.Rotation(
                keys.scaledRope(
                        dimensions, RopeOptions.Mode.NEOX, keys.ropeBase("rope.freq_base", 10000)));
    }

    private static TextEncoder read(
            GgufFile file, ModelKeys keys, Position position, FeedForward feedForward) {
        return new BertEncoder(file, EncoderSizes.read(file, keys), position, feedForward);
    }
}
