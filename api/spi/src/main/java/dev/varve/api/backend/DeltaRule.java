package dev.varve.api.backend;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.Optional;

/**
 * A device's own gated delta rule, with the bits of {@link Ops#gatedDeltaNet}. It updates states in
 * place. Meant for devices on which ggml's rule copies the states through memory and back.
 *
 * <p>States are {@code F32 [S, S, Hv, n]}, contiguous. The states before and after are either the
 * same memory or do not overlap. Each call counts as two tensors.
 */
public interface DeltaRule {
    /**
     * Returns whether the types and sizes of the inputs are supported, with states for which {@link
     * #takes(int)} is true.
     */
    boolean takes(DeltaInputs inputs);

    /**
     * Returns whether a state size is supported.
     *
     * @param size S
     */
    boolean takes(int size);

    /**
     * Computes the results of all tokens.
     *
     * @param inputs inputs that {@link #takes} accepts
     * @param before states before the first tokens
     * @param after destination of the states after the last tokens; empty if they are not needed
     * @return {@code F32 [S, Hv, T, n]}
     */
    Tensor apply(Ops ops, DeltaInputs inputs, Tensor before, Optional<Tensor> after);

    /**
     * Computes the results of draft tokens, of which the accepted number is not yet known. Also
     * keeps the delta that each token adds to the states, for {@link #advance}.
     *
     * @param inputs inputs that {@link #takes} accepts
     * @param before states before the first tokens; not modified
     * @param deltas {@code F32 [S, Hv, T, n]}, destination of beta times the difference between the
     *     value and the product of state and key
     * @return as {@link #apply}
     */
    Tensor guess(Ops ops, DeltaInputs inputs, Tensor before, Tensor deltas);

    /**
     * Does the same as {@link #guess} for tokens that form a tree: each token reads the state after
     * its parent.
     *
     * @param parents {@code I32 [T, n]}, -1 for the first token of a sequence and the index of an
     *     earlier token for each other one, within the limits of {@link TokenTrees}
     */
    Tensor branch(Ops ops, DeltaInputs inputs, Tensor before, Tensor deltas, Tensor parents);

    /**
     * Computes the states after the accepted tokens of a {@link #guess}: its first tokens, or a
     * path.
     *
     * @param keys {@code F32 [S, H, T, n]}, the same as in that call
     * @param deltas {@code F32 [S, Hv, T, n]}, which that call wrote
     * @param decay {@code F32 [1, Hv, T, n]}, the same as in that call
     * @return a node to add to the graph; it has no value
     */
    Tensor advance(Ops ops, Tensor keys, Tensor deltas, Tensor decay, Tensor before, Tensor after);
}
