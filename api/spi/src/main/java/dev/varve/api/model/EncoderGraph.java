package dev.varve.api.model;

import dev.varve.api.ggml.Tensor;

/**
 * The platform's side of an encoder's graph while it is recorded. T is the number of tokens of all
 * texts of the batch, one text after the other; an encoder does not know where texts begin.
 *
 * <p>Nothing is cached: attention sees the tokens of the batch only, and those of its own text.
 * Operators that continue a state are refused.
 *
 * <p>One thread; valid only during {@link TextEncoder#build}.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public interface EncoderGraph extends ShardGraph {
    /** Rows of a table by the position of each token in its text, {@code F32 [width, T]}. */
    Tensor embedPositions(String table);

    /** One row of a table, {@code F32 [width, 1]}. */
    Tensor tableRow(String table, int row);

    /**
     * Attends to all tokens of the text that the options make visible, also to later ones.
     *
     * @param query {@code F32 [keyLength, heads, T]}, rows contiguous
     * @param key {@code F32 [keyLength, kvHeads, T]}
     * @param value {@code F32 [valueLength, kvHeads, T]}
     * @return {@code F32 [valueLength * heads, T]}, contiguous
     */
    Tensor encoderAttention(Tensor query, Tensor key, Tensor value, EncoderAttention options);

    /**
     * Layer norm over the rows: {@code (x - mean) / sqrt(variance + epsilon)}, times {@code
     * name.weight} and, where it was selected, plus {@code name.bias}.
     */
    default Tensor layerNorm(Tensor input, String name, float epsilon) {
        Tensor normed = ops().layerNorm(input, epsilon);
        Tensor scaled = ops().mul(normed, weight(name + ".weight", TensorUse.ELEMENTWISE));
        return optionalWeight(name + ".bias", TensorUse.ELEMENTWISE)
                .map(bias -> ops().add(scaled, bias))
                .orElse(scaled);
    }
}
