package dev.varve.platform.draft;

import dev.varve.api.ggml.Tensor;

/** How well tokens follow one another: what is added to a token's own score behind another one. */
interface TokenTransitions {
    /**
     * Records all pairs of a slot.
     *
     * @param before tokens of the target that the slot before may be, {@code I32 [befores *
     *     sequences]}, sequence after sequence
     * @param befores how many of them each sequence has
     * @param rows of the head that the slot may be, {@code I32 [n * sequences]}, likewise
     * @return {@code F32 [n, befores, sequences]}
     */
    Tensor between(int slot, Tensor before, int befores, Tensor rows);
}
