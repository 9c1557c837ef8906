package dev.varve.api.backend;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/**
 * A device's own matrix product for a few columns at once. Each result column has the same bits as
 * ggml's product of that column alone. Meant for devices on which ggml offers either the bits of
 * single columns or the speed of several columns, but not both.
 *
 * <p>The product has two steps, because products with the same input share the first step. Each
 * step counts as one tensor.
 */
public interface ColumnProduct {
    /**
     * Returns whether the type and shape of a weight are supported. The weight has the same layout
     * in memory as in the file.
     */
    boolean takes(Tensor weight);

    /**
     * Prepares columns for {@link #multiply}.
     *
     * @param input {@code F32 [K, N]}, contiguous
     * @return {@code F32 [K, N]}
     */
    Tensor prepare(Ops ops, Tensor input);

    /**
     * Multiplies: {@code [K, M] times F32 [K, N] -> F32 [M, N]}.
     *
     * @param weight a weight that {@link #takes} accepts
     * @param prepared result of {@link #prepare}
     */
    Tensor multiply(Ops ops, Tensor weight, Tensor prepared);
}
