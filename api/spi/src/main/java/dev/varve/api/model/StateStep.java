package dev.varve.api.model;

import dev.varve.api.ggml.Tensor;

import java.util.List;
import java.util.Map;

/**
 * Advances a state that a family defines, see {@link ShardGraph#advanceState}. A batch may hold
 * sequences of several lengths, but ggml's operators need equal ones, so the step is recorded once
 * for each group of sequences of one length.
 *
 * <p>The step records a few operators, independent of the number of tokens: a loop over the tokens
 * would exceed the graph. It must compute the same result for every token, whether the tokens
 * before it are in this batch or were in an earlier one.
 *
 * <p>Stable: a plugin that is built against it keeps working.
 */
@FunctionalInterface
public interface StateStep {
    /** Records the step for one group. */
    Result advance(Group group);

    /**
     * Sequences of one length.
     *
     * @param tokens tokens of each sequence, n
     * @param sequences number of sequences, s
     * @param columns the inputs of {@link ShardGraph#advanceState}, restricted to the group: {@code
     *     F32 [.., n, s]}; views with contiguous rows and columns that need not be adjacent
     * @param states by name, the state of each sequence before the step: {@code F32 [.., s]} with
     *     the shape of {@link LayerState.Custom.Part}; zeros at the beginning of a sequence
     * @param numbers 0 to s - 1, {@code I32 [s]}: the sequences in the order of their states
     */
    record Group(
            int tokens,
            int sequences,
            List<Tensor> columns,
            Map<String, Tensor> states,
            Tensor numbers) {
        /** Copies the collections. */
        public Group {
            columns = List.copyOf(columns);
            states = Map.copyOf(states);
        }
    }

    /**
     * Results of a step.
     *
     * @param output {@code F32 [.., n, s]}, with the same number of elements for each token in
     *     every group
     * @param states by name, the state of each sequence after the step, in the shape of the input
     */
    record Result(Tensor output, Map<String, Tensor> states) {
        /** Copies the states. */
        public Result {
            states = Map.copyOf(states);
        }
    }
}
