package dev.varve.plugin.decoders;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.WeightSelector;

/** The part of a layer that reads other tokens. */
sealed interface Mixer permits SelfAttention, LatentAttention, SelectiveScan {
    /** The state that it keeps. */
    LayerState state();

    void select(WeightSelector weights, int width);

    /** Reads all tokens: {@code F32 [width, T] -> F32 [.., T]}. */
    Tensor mix(ShardGraph graph, Tensor input);

    /** The output projection, per column: {@code F32 [.., n] -> F32 [width, n]}. */
    Tensor project(ShardGraph graph, Tensor mixed);
}
