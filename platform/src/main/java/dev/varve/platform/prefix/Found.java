package dev.varve.platform.prefix;

import java.util.List;
import java.util.Optional;

/**
 * Where a prompt can go on.
 *
 * @param blocks whole blocks, from the first one on; of the last one only as many rows count as
 *     {@code position} says
 * @param checkpoint what lies behind them; empty where rows of blocks are all that is needed
 * @param position tokens that need no computing
 */
record Found(List<TokenBlock> blocks, Optional<Checkpoint> checkpoint, int position) {
    /** Whether it came from a disk and was not used since. */
    boolean isFresh() {
        return checkpoint
                .map(Checkpoint::isFresh)
                .orElseGet(() -> !blocks.isEmpty() && blocks.getLast().isFresh());
    }

    /** Keeps it from giving way. */
    void pin() {
        checkpoint.ifPresent(Checkpoint::pin);
        if (!blocks.isEmpty()) {
            blocks.getLast().pin();
        }
    }
}
