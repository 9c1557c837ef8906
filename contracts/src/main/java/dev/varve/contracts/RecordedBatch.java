package dev.varve.contracts;

import java.util.List;

/**
 * What a range is recorded for.
 *
 * @param tokens columns
 * @param outputs columns whose logits are wanted, the last ones
 * @param features whether somebody asked for what enters the layers
 */
record RecordedBatch(int tokens, int outputs, Features features) {
    /** Whether features are captured. */
    enum Features {
        WANTED,
        NOT_WANTED
    }

    /** A decode step, prompts of which the last logits are wanted, and one with all of them. */
    static final List<RecordedBatch> SIZES =
            List.of(
                    new RecordedBatch(1, 1, Features.NOT_WANTED),
                    new RecordedBatch(5, 1, Features.NOT_WANTED),
                    new RecordedBatch(5, 1, Features.WANTED),
                    new RecordedBatch(3, 3, Features.NOT_WANTED));
}
