package dev.varve.platform.prefix;

import java.util.List;
import java.util.Optional;

/**
 * A position from which a prompt can resume.
 *
 * @param blocks whole blocks, first block first; of the last one only as many rows count as {@code
 *     position} allows
 * @param checkpoint the checkpoint after them; empty if the rows of the blocks are sufficient
 * @param position number of tokens that need no computing
 */
record PrefixMatch(List<CachedBlock> blocks, Optional<Checkpoint> checkpoint, int position) {
    /**
     * Source of the match: the store that it was loaded from, until its first use; then host
     * memory.
     */
    CacheSource source() {
        return checkpoint
                .map(Checkpoint::freshFrom)
                .orElseGet(() -> blocks.isEmpty() ? Optional.empty() : blocks.getLast().origin())
                .orElse(CacheSource.HOST);
    }

    /** Pins the match against eviction. */
    void pin() {
        checkpoint.ifPresent(Checkpoint::pin);
        if (!blocks.isEmpty()) {
            blocks.getLast().pin();
        }
    }
}
