package dev.varve.api.backend;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.Optional;

/**
 * A device's own gated delta rule, with the bits of {@link Ops#gatedDeltaNet}, which changes states
 * where they lie. For devices on which ggml's rule takes the way through memory, and back.
 *
 * <p>States are {@code F32 [S, S, Hv, n]}, contiguous; those before and after are the same or have
 * nothing in common. Each call counts as two tensors.
 */
public interface DeltaRule {
    /**
     * Whether inputs are of a kind and size for it, one for which it {@link #takes(int)} states.
     */
    boolean takes(DeltaInputs inputs);

    /**
     * Whether states are of a size for it.
     *
     * @param size S
     */
    boolean takes(int size);

    /**
     * The results of all tokens.
     *
     * @param inputs that it {@link #takes}
     * @param before states that the first tokens meet
     * @param after where the states behind the last tokens are kept; empty for nowhere
     * @return {@code F32 [S, Hv, T, n]}
     */
    Tensor apply(Ops ops, DeltaInputs inputs, Tensor before, Optional<Tensor> after);

    /**
     * The results of tokens of which it is not known yet how many count, and what each of them adds
     * to the states, for {@link #advance}.
     *
     * @param inputs that it {@link #takes}
     * @param before states that the first tokens meet, which stay as they are
     * @param deltas {@code F32 [S, Hv, T, n]}, where beta times the difference between value and
     *     the state's product with the key is kept
     * @return as {@link #apply}
     */
    Tensor guess(Ops ops, DeltaInputs inputs, Tensor before, Tensor deltas);

    /**
     * As {@link #guess}, of tokens that are a tree: each meets the state behind the one that it
     * follows.
     *
     * @param parents {@code I32 [T, n]}, -1 for the first token of a sequence and an earlier one
     *     for each other, by the limits of {@link TokenTrees}
     */
    Tensor branch(Ops ops, DeltaInputs inputs, Tensor before, Tensor deltas, Tensor parents);

    /**
     * The states behind some tokens of those that were a {@link #guess}, the first of them or a
     * path.
     *
     * @param keys {@code F32 [S, H, T, n]}, as they were
     * @param deltas {@code F32 [S, Hv, T, n]}, which it kept
     * @param decay {@code F32 [1, Hv, T, n]}, as it was
     * @return a node to put into a graph, which has no value
     */
    Tensor advance(Ops ops, Tensor keys, Tensor deltas, Tensor decay, Tensor before, Tensor after);
}
