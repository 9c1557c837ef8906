package dev.varve.platform.draft;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/** Bias that the token before adds to some logits (DSpark). */
final class MarkovTransitions implements TokenTransitions {
    private final DraftOperators layers;

    MarkovTransitions(DraftOperators layers) {
        this.layers = layers;
    }

    @Override
    public Tensor between(int slot, Tensor before, int befores, Tensor rows) {
        Ops ops = layers.ops();
        Tensor begins = layers.rows(DraftTensorNames.MARKOV_TABLE, before);
        Tensor ends = layers.rows(DraftTensorNames.MARKOV_HEAD + ".weight", rows);
        long rank = begins.ne(0);
        long sequences = before.ne(0) / befores;
        long count = rows.ne(0) / sequences;
        Tensor product =
                ops.mulMat(
                        ops.reshape3d(ends, rank, count, sequences),
                        ops.reshape3d(begins, rank, befores, sequences));
        return layers.completeRows(
                DraftTensorNames.MARKOV_HEAD, ops.reshape3d(rows, count, 1, sequences), product);
    }
}
