package dev.varve.plugin.embedders;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.model.EncoderAttention;

/**
 * Layers that see near tokens only.
 *
 * @param sliding for each layer whether it does
 * @param tokens size of the window; 0 for none
 * @param full rotation of layers that see all tokens
 * @param near rotation of the others
 */
record Windows(boolean[] sliding, int tokens, RopeOptions full, RopeOptions near) {
    RopeOptions rotation(int layer) {
        return sliding[layer] ? near : full;
    }

    EncoderAttention limit(int layer, EncoderAttention options) {
        return sliding[layer] && tokens > 0 ? options.within(tokens) : options;
    }
}
