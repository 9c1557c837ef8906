package dev.varve.plugin.decoders;

import dev.varve.api.model.DecoderBackbone;

import java.util.List;

/**
 * Description of a model file.
 *
 * @param backbone parameters of the whole model
 * @param layers its layers, or the block for multi-token prediction alone
 * @param embeddingScale factor of the embeddings; 1 for none
 * @param logits operators after the output head
 */
record Decoder(DecoderBackbone backbone, List<Layer> layers, float embeddingScale, Logits logits) {
    Decoder {
        layers = List.copyOf(layers);
    }

    /**
     * @param scale factor of the logits; 1 for none
     * @param cap bound of their magnitude, {@code cap * tanh(logits / cap)}; 0 for none
     */
    record Logits(float scale, float cap) {
        static Logits plain() {
            return new Logits(1, 0);
        }
    }

    Decoder withEmbeddingScale(float scale) {
        return new Decoder(backbone, layers, scale, logits);
    }

    Decoder withLogits(Logits other) {
        return new Decoder(backbone, layers, embeddingScale, other);
    }
}
