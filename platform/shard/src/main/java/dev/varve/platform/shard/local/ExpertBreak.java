package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.streaming.ExpertGroup;

import java.util.Optional;

/**
 * Place at which a graph stops, so that the host can read the experts that a layer needs.
 *
 * @param group the layer's experts
 * @param begin index of the first operator that uses them
 * @param middle index of the first operator that uses the down matrix
 * @param end index after the last operator that uses them
 * @param ids of the experts, contiguous {@code I32 [used, tokens]}; computed before
 * @param input of the experts, contiguous; computed before
 * @param next guess of the experts that the next layer needs; empty if it has none
 * @param outputs of the experts, contiguous {@code F32 [out, used, tokens]}; the last operator
 */
record ExpertBreak(
        ExpertGroup group,
        int begin,
        int middle,
        int end,
        Tensor ids,
        Tensor input,
        Optional<Guess> next,
        Tensor outputs) {
    /**
     * The experts that the router of a later layer chooses for the input of these experts.
     *
     * @param group the experts of that layer
     * @param begin index of its first operator; the last one is before the first operator that uses
     *     the experts of this layer. They need not be computed
     * @param ids contiguous {@code I32 [used, tokens]}, the best first; result of the last operator
     */
    record Guess(ExpertGroup group, int begin, Tensor ids) {}
}
