package dev.varve.api.backend;

import dev.varve.api.ggml.Tensor;

/**
 * A copy of a graph's inputs to the device on which the graph is computed.
 *
 * @param source in host memory, not written before the graph is computed
 * @param target of the same type and shape, in memory of the device
 * @param hostWork host work that runs while the device computes; it uses neither the source nor the
 *     target
 */
public record InputUpload(Tensor source, Tensor target, Runnable hostWork) {}
