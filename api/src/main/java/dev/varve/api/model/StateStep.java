package dev.varve.api.model;

import dev.varve.api.ggml.Tensor;

import java.util.List;
import java.util.Map;

/**
 * How a family advances a state of its own, see {@link ShardGraph#advanceState}. A batch may hold
 * sequences of several lengths; ggml's operators want equal ones, so the step is recorded once for
 * each group of sequences of one length.
 *
 * <p>It records a few operators, however many tokens there are: a loop over the tokens would
 * outgrow the graph. What it records must give every token the same result, whether the tokens
 * before it came in this batch or in an earlier one.
 *
 * <p>Stable: a plugin that is built against it goes on working.
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
     * @param columns the inputs of {@link ShardGraph#advanceState}, cut to the group: {@code F32
     *     [.., n, s]}; views with rows that are contiguous and columns that may lie apart
     * @param states by name, what each sequence kept: {@code F32 [.., s]} with the shape of {@link
     *     LayerState.Custom.Part}; zeros where a sequence begins
     */
    record Group(int tokens, int sequences, List<Tensor> columns, Map<String, Tensor> states) {
        /** Copies the collections. */
        public Group {
            columns = List.copyOf(columns);
            states = Map.copyOf(states);
        }
    }

    /**
     * What a step makes.
     *
     * @param output {@code F32 [.., n, s]}, as many elements for each token in every group
     * @param states by name, what each sequence keeps now, in the shape that it was given
     */
    record Result(Tensor output, Map<String, Tensor> states) {
        /** Copies the states. */
        public Result {
            states = Map.copyOf(states);
        }
    }
}
