package dev.varve.contracts;

import java.util.List;

/**
 * A batch for which a range is recorded.
 *
 * @param tokens columns
 * @param outputs columns whose logits are requested, the last ones
 * @param features whether the inputs of the layers are captured
 */
record RecordedBatch(int tokens, int outputs, Features features) {
    /** Whether features are captured. */
    enum Features {
        WANTED,
        NOT_WANTED
    }

    /**
     * A decode step, prompts of which the last logits are requested, and one with all logits. With
     * one output alone, a column too few would be broadcast.
     */
    static final List<RecordedBatch> SIZES =
            List.of(
                    new RecordedBatch(1, 1, Features.NOT_WANTED),
                    new RecordedBatch(5, 1, Features.NOT_WANTED),
                    new RecordedBatch(5, 1, Features.WANTED),
                    new RecordedBatch(7, 3, Features.NOT_WANTED),
                    new RecordedBatch(3, 3, Features.NOT_WANTED));
}
