package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.Graph;

/**
 * Operators of a shard's graph that another device computes, since it holds their weights.
 *
 * @param device computes them
 * @param graph of all segments on that device
 * @param begin index of the first operator in that graph
 * @param end index after the last operator
 * @param after number of operators of the shard's own graph that are computed before
 * @param sent activations from the shard's device
 * @param returned results to the shard's device
 */
record DeviceSegment(
        ComputeDevice device,
        Graph graph,
        int begin,
        int end,
        int after,
        Transfer sent,
        Transfer returned) {}
