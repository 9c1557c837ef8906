package dev.varve.api.backend;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/**
 * A device's own product of a weight with a few columns at once, of which each has the bits of
 * ggml's product of that column alone. For devices on which ggml has either the one or the other:
 * the bits of single columns, or the speed of several.
 *
 * <p>In two parts, since products with one input have the first in common. Each counts as one
 * tensor.
 */
public interface ColumnProduct {
    /** Whether a weight is of a type and shape for it; in memory it lies as it does in the file. */
    boolean takes(Tensor weight);

    /**
     * Columns as {@link #multiply} wants them.
     *
     * @param input {@code F32 [K, N]}, contiguous
     * @return {@code F32 [K, N]}
     */
    Tensor prepare(Ops ops, Tensor input);

    /**
     * The product: {@code [K, M] times F32 [K, N] -> F32 [M, N]}.
     *
     * @param weight that it {@link #takes}
     * @param prepared by {@link #prepare}
     */
    Tensor multiply(Ops ops, Tensor weight, Tensor prepared);
}
