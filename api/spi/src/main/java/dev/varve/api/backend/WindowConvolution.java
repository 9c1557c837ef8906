package dev.varve.api.backend;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.Optional;

/**
 * A device's own causal convolution of each channel over the tokens of sequences, with the bits of
 * {@link Ops#ssmConv}. It reads earlier inputs directly from where they are kept. Meant for devices
 * on which it is expensive to concatenate those with the new inputs.
 *
 * <p>With a kernel of K elements, the last K - 1 inputs of a sequence are kept: {@code F32 [K - 1,
 * channels, n]}, contiguous for each sequence. The inputs kept before and after are either the same
 * memory or do not overlap. Each call counts as one tensor.
 */
public interface WindowConvolution {
    /**
     * Returns whether the types and sizes of the inputs are supported.
     *
     * @param columns {@code F32 [channels, T, n]}
     * @param kernel {@code F32 [K, channels]}
     */
    boolean takes(Tensor columns, Tensor kernel);

    /**
     * Computes the results of all tokens.
     *
     * @param columns inputs that {@link #takes} accepts, with the kernel
     * @param before inputs before the first tokens
     * @param after destination of the last inputs; empty if they are not needed
     * @return {@code F32 [channels, T, n]}
     */
    Tensor apply(Ops ops, Tensor columns, Tensor kernel, Tensor before, Optional<Tensor> after);

    /**
     * Computes the results of all tokens of trees: the earlier inputs of a token are those of its
     * ancestors, and before the root the kept inputs.
     *
     * @param parents as in {@link DeltaRule#branch}
     * @return {@code F32 [channels, T, n]}
     */
    Tensor branch(Ops ops, Tensor columns, Tensor kernel, Tensor before, Tensor parents);
}
