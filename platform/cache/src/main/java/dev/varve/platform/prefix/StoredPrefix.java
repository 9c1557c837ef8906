package dev.varve.platform.prefix;

import dev.varve.platform.store.ObjectKey;

import java.util.List;
import java.util.Optional;

/**
 * A position that a store has, and the keys of its objects.
 *
 * @param blocks keys of the blocks, first block first
 * @param end the checkpoint after the blocks; empty if the rows of the blocks are sufficient
 * @param position number of tokens before it; 0 for none
 */
record StoredPrefix(List<ObjectKey> blocks, Optional<End> end, int position) {
    static final StoredPrefix NONE = new StoredPrefix(List.of(), Optional.empty(), 0);

    /** A checkpoint in the store. */
    record End(ObjectKey key, int position) {}
}
