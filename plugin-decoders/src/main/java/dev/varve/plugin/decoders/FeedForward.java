package dev.varve.plugin.decoders;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.WeightSelector;

/** The part of a layer that computes each token alone. */
sealed interface FeedForward permits DenseFeedForward, Mixture {
    void select(WeightSelector weights, int width);

    /** {@code F32 [width, n] -> F32 [width, n]}. */
    Tensor record(ShardGraph graph, Tensor input);
}
