package dev.varve.plugin.embedders;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/** Feed-forwards whose first matrix computes gate and input, one after the other. */
final class Halves {
    private Halves() {}

    /** {@code gelu(a) * b} of the halves of each column, {@code F32 [2n, T] -> F32 [n, T]}. */
    static Tensor gelu(Ops ops, Tensor both) {
        return ops.gegluSplit(half(ops, both, 0), half(ops, both, 1));
    }

    /** {@code silu(a) * b} of the halves of each column. */
    static Tensor silu(Ops ops, Tensor both) {
        return ops.swigluSplit(half(ops, both, 0), half(ops, both, 1));
    }

    private static Tensor half(Ops ops, Tensor both, int index) {
        long length = both.ne(0) / 2;
        return ops.view2d(both, length, both.ne(1), both.nb(1), index * length * Float.BYTES);
    }
}
