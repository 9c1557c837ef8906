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
record PrefixMatch(List<TokenBlock> blocks, Optional<Checkpoint> checkpoint, int position) {
    /** Where it is, or where it came from if it was not used since. */
    CacheSource source() {
        return checkpoint
                .map(Checkpoint::freshFrom)
                .orElseGet(() -> blocks.isEmpty() ? Optional.empty() : blocks.getLast().origin())
                .orElse(CacheSource.HOST);
    }

    /** Keeps it from giving way. */
    void pin() {
        checkpoint.ifPresent(Checkpoint::pin);
        if (!blocks.isEmpty()) {
            blocks.getLast().pin();
        }
    }
}
