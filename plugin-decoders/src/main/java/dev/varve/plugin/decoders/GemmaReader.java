package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelKeys.FullLayer;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.plugin.decoders.DenseFeedForward.Gate;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.SelfAttention.HeadNorm;
import dev.varve.plugin.decoders.SelfAttention.Rotation;
import dev.varve.plugin.decoders.SelfAttention.Scale;

import java.util.Optional;
import java.util.OptionalInt;

/** Gemma 3: sliding and full layers with rotations of their own, norms on both sides, GeGLU. */
final class GemmaReader {
    /** Layers of the model whose scores have another factor than those of the other sizes. */
    private static final int LARGEST = 62;

    private GemmaReader() {}

    static Decoder gemma3(DecoderFile file) {
        ModelKeys keys = file.keys();
        int window = keys.count("attention.sliding_window", Integer.MAX_VALUE);
        boolean[] sliding = keys.slidingLayers(6, FullLayer.LAST);
        Rotation full = file.wholeRotation(Mode.NEOX);
        Rotation near = file.plainRotation(Mode.NEOX, keys.ropeBase("rope.freq_base_swa", 10000));
        float scale = scale(file);
        return file.decoder(
                        layer -> {
                            boolean slides = window > 0 && sliding[layer];
                            return file.layer(
                                    layer,
                                    file.attention(layer, Optional.of(slides ? near : full))
                                            .withNorm(HeadNorm.BEFORE_ROTATION)
                                            .withScale(new Scale(1, scale, Optional.empty()))
                                            .withWindow(
                                                    slides
                                                            ? OptionalInt.of(window)
                                                            : OptionalInt.empty()),
                                    DenseFeedForward.of(
                                            layer,
                                            file.feedForwardLength(layer),
                                            Gate.SEPARATE,
                                            Activation.GELU),
                                    Norms.BOTH);
                        })
                .withEmbeddingScale((float) Math.sqrt(file.backbone().width()))
                .withLogits(new Decoder.Logits(1, cap(keys)));
    }

    private static float cap(ModelKeys keys) {
        String name = "final_logit_softcapping";
        float cap = keys.number(name, 0);
        if (cap != 0 && !(cap > 0 && Float.isFinite(1 / cap))) {
            throw keys.wrong(name, "0 or a positive number with a finite reciprocal", cap);
        }
        return cap;
    }

    private static float scale(DecoderFile file) {
        SelfAttention.Heads heads = file.heads(0);
        int length =
                file.backbone().layers() == LARGEST
                        ? file.backbone().width() / heads.query()
                        : heads.length();
        return 1 / (float) Math.sqrt(length);
    }
}
