package dev.varve.api.vision;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;

import java.util.Optional;

/**
 * The platform's side of an encoder's graph while it is recorded. N is the number of columns.
 *
 * <p>Shapes are in ggml order, the fastest running dimension first. One thread; valid only during
 * {@link ImageEncoder#build}.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public interface ImageGraph {
    /** Operators on this graph's tensors. */
    Ops ops();

    /** A loaded weight in the use it was selected for. */
    Tensor weight(String name, TensorUse use);

    /** Returns whether a weight was selected for {@code use}. */
    boolean hasWeight(String name, TensorUse use);

    /** Creates an input with values, {@code F32}. */
    Tensor input(String name, float[] values, long... shape);

    /** Creates an input with values, {@code I32}. */
    Tensor input(String name, int[] values, long... shape);

    /**
     * Product with a weight {@code [in, out]}: {@code F32 [in, N] -> F32 [out, N]}, plus the
     * weight's {@code .bias} companion where it was selected. {@code name} is without suffix.
     */
    Tensor matmul(String name, Tensor input);

    /**
     * Attention of every column to all columns.
     *
     * @param query {@code F32 [length, heads, N]}, rows contiguous
     * @param key {@code F32 [length, heads, N]}
     * @param value {@code F32 [length, heads, N]}
     * @param scale factor of the scores
     * @return {@code F32 [length * heads, N]}, contiguous
     */
    Tensor attention(Tensor query, Tensor key, Tensor value, float scale);

    /** A weight that may be absent. */
    default Optional<Tensor> optionalWeight(String name, TensorUse use) {
        return hasWeight(name, use) ? Optional.of(weight(name, use)) : Optional.empty();
    }

    /**
     * Layer norm over the rows: {@code (x - mean) / sqrt(variance + epsilon)}, times {@code
     * name.weight} and plus {@code name.bias}.
     */
    default Tensor layerNorm(Tensor input, String name, float epsilon) {
        Tensor mean = ops().scale(ops().sumRows(input), 1f / input.ne(0));
        // The variance is the mean square of what remains, so the root-mean-square norm follows.
        Tensor normed = ops().rmsNorm(ops().sub(input, mean), epsilon);
        Tensor scaled = ops().mul(normed, weight(name + ".weight", TensorUse.ELEMENTWISE));
        return ops().add(scaled, weight(name + ".bias", TensorUse.ELEMENTWISE));
    }
}
