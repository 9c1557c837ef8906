package dev.varve.platform.draft;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

/**
 * Score of how well a token follows another one in a slot, weighted by the slot's own state
 * (DFlash2).
 */
final class SelectorTransitions implements TokenTransitions {
    private final DraftLayers layers;
    private final PositionMajorLayout slots;
    private final Tensor factors;

    /**
     * @param factors computed from each slot's state, {@code F32 [rank, slots * sequences]}
     */
    SelectorTransitions(DraftLayers layers, PositionMajorLayout slots, Tensor factors) {
        this.layers = layers;
        this.slots = slots;
        this.factors = factors;
    }

    @Override
    public Tensor between(int slot, Tensor before, int befores, Tensor rows) {
        Ops ops = layers.ops();
        long rank = factors.ne(0);
        long count = rows.ne(0) / slots.sequences();
        Tensor begins =
                ops.reshape3d(
                        layers.rows(DraftTensorNames.PREDECESSOR, before),
                        rank,
                        befores,
                        slots.sequences());
        Tensor ends = layers.rows(DraftTensorNames.SUCCESSOR, rows);
        return ops.mulMat(
                ops.reshape3d(ends, rank, count, slots.sequences()),
                ops.mul(begins, slots.part(factors, rank, 1, slot)));
    }
}
