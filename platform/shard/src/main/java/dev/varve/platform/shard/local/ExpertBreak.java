package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.streaming.ExpertGroup;

/**
 * Place at which a graph stops, so that the host can read the experts that a layer needs.
 *
 * @param group the layer's experts
 * @param begin index of the first operator that uses them
 * @param middle index of the first operator that uses the down matrix
 * @param end index after the last operator that uses them
 * @param ids of the experts, contiguous {@code I32 [used, tokens]}; computed before
 * @param input of the experts, contiguous; computed before
 * @param outputs of the experts, contiguous {@code F32 [out, used, tokens]}; the last operator
 */
record ExpertBreak(
        ExpertGroup group,
        int begin,
        int middle,
        int end,
        Tensor ids,
        Tensor input,
        Tensor outputs) {}
