package dev.varve.platform.draft;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/**
 * Score of how well a token follows another one in a slot, weighted by the slot's own state
 * (DFlash2).
 */
final class SelectorTransitions implements TokenTransitions {
    private final DraftOperators layers;
    private final PositionMajorLayout layout;
    private final Tensor factors;

    /**
     * @param factors computed from each slot's state, {@code F32 [rank, slots * sequences]}
     */
    SelectorTransitions(DraftOperators layers, PositionMajorLayout layout, Tensor factors) {
        this.layers = layers;
        this.layout = layout;
        this.factors = factors;
    }

    @Override
    public Tensor between(int slot, Tensor before, int befores, Tensor rows) {
        Ops ops = layers.ops();
        long rank = factors.ne(0);
        long count = rows.ne(0) / layout.sequences();
        Tensor begins =
                ops.reshape3d(
                        layers.rows(DraftTensorNames.PREDECESSOR, before),
                        rank,
                        befores,
                        layout.sequences());
        Tensor ends = layers.rows(DraftTensorNames.SUCCESSOR, rows);
        return ops.mulMat(
                ops.reshape3d(ends, rank, count, layout.sequences()),
                ops.mul(begins, layout.part(factors, rank, 1, slot)));
    }
}
