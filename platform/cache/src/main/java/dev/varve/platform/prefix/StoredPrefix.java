package dev.varve.platform.prefix;

import dev.varve.platform.store.ObjectKey;

import java.util.List;
import java.util.Optional;

/**
 * A position that a store has, and the way to it.
 *
 * @param blocks from the first one on
 * @param end the checkpoint behind them; empty where rows of blocks are all that is needed
 * @param position tokens that need no computing; 0 for none
 */
record StoredPrefix(List<ObjectKey> blocks, Optional<End> end, int position) {
    static final StoredPrefix NONE = new StoredPrefix(List.of(), Optional.empty(), 0);

    /** A checkpoint. */
    record End(ObjectKey key, int position) {}
}
