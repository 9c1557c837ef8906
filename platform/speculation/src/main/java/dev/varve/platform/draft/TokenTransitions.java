package dev.varve.platform.draft;

import dev.varve.api.ggml.Tensor;

/**
 * Score of how well tokens follow one another: a term that is added to a token's own score after
 * another token.
 */
interface TokenTransitions {
    /**
     * Records all pairs of a slot.
     *
     * @param before candidate tokens of the slot before, as tokens of the target, {@code I32
     *     [befores * sequences]}, sequence after sequence
     * @param befores number of them per sequence
     * @param rows candidate rows of the head for the slot, {@code I32 [n * sequences]}, sequence
     *     after sequence
     * @return {@code F32 [n, befores, sequences]}
     */
    Tensor between(int slot, Tensor before, int befores, Tensor rows);
}
