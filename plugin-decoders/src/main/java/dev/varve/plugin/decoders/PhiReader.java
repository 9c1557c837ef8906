package dev.varve.plugin.decoders;

import dev.varve.api.ggml.RopeOptions.Mode;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.plugin.decoders.DenseFeedForward.Gate;
import dev.varve.plugin.decoders.Layer.Norms;
import dev.varve.plugin.decoders.SelfAttention.Rotation;
import dev.varve.plugin.decoders.SelfAttention.Scale;

import java.util.Optional;

/** Phi-3 and Phi-4: fused matrices and factors for long contexts. */
final class PhiReader {
    private PhiReader() {}

    static Decoder phi3(DecoderFile file) {
        Rotation rotation = file.rotation(Mode.NEOX);
        return file.decoder(
                layer -> {
                    SelfAttention attention = file.attention(layer, Optional.of(rotation));
                    return file.layer(
                            layer,
                            attention.withScale(
                                    new Scale(1, attention.heads().scale(), Optional.empty())),
                            DenseFeedForward.of(
                                    layer,
                                    file.feedForwardLength(layer),
                                    Gate.IN_UP,
                                    Activation.SILU),
                            Norms.BEFORE);
                });
    }
}
