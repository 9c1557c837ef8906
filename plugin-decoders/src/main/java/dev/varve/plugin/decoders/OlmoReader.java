package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelKeys.FullLayer;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.SelfAttention.HeadNorm;
import dev.varve.plugin.decoders.SelfAttention.Rotation;

import java.util.Optional;
import java.util.OptionalInt;

/** OLMo 2 and 3: norms of the outputs and of whole rows of queries and keys. */
final class OlmoReader {
    private OlmoReader() {}

    static Decoder olmo2(DecoderFile file) {
        file.requireHead();
        ModelKeys keys = file.keys();
        int window = keys.count("attention.sliding_window", Integer.MAX_VALUE);
        boolean[] sliding = keys.slidingLayers(4, FullLayer.LAST);
        Rotation full = file.wholeRotation(Mode.NEOX);
        Rotation near = file.plainRotation(Mode.NEOX, keys.ropeBase("rope.freq_base", 10000));
        return file.decoder(
                layer -> {
                    boolean slides = window > 0 && sliding[layer];
                    return file.layer(
                            layer,
                            file.attention(layer, Optional.of(slides ? near : full))
                                    .withNorm(HeadNorm.ALL_HEADS)
                                    .withWindow(
                                            slides ? OptionalInt.of(window) : OptionalInt.empty()),
                            file.dense(layer),
                            Norms.AFTER);
                });
    }
}
