package dev.varve.api.backend;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.Optional;

/**
 * A device's own causal convolution of each channel over the tokens of sequences, with the bits of
 * {@link Ops#ssmConv}, which reads the inputs that came before from where they are kept. For
 * devices on which it costs much to join those with the new ones.
 *
 * <p>With a kernel of K elements, the last K - 1 inputs of a sequence are kept: {@code F32 [K - 1,
 * channels, n]}, contiguous for each sequence. Those before and after are the same or have nothing
 * in common. Each call counts as one tensor.
 */
public interface WindowConvolution {
    /**
     * Whether inputs are of a kind and size for it.
     *
     * @param columns {@code F32 [channels, T, n]}
     * @param kernel {@code F32 [K, channels]}
     */
    boolean takes(Tensor columns, Tensor kernel);

    /**
     * The results of all tokens.
     *
     * @param columns inputs that it {@link #takes}, as the kernel
     * @param before inputs that came before the first tokens
     * @param after where the last inputs are kept; empty for nowhere
     * @return {@code F32 [channels, T, n]}
     */
    Tensor apply(Ops ops, Tensor columns, Tensor kernel, Tensor before, Optional<Tensor> after);

    /**
     * The results of all tokens of trees: the inputs before a token's own are those of the tokens
     * that it follows, and behind the first one what came before.
     *
     * @param parents as in {@link DeltaRule#branch}
     * @return {@code F32 [channels, T, n]}
     */
    Tensor branch(Ops ops, Tensor columns, Tensor kernel, Tensor before, Tensor parents);
}
