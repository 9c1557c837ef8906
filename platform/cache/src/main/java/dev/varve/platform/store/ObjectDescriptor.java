package dev.varve.platform.store;

import java.util.Comparator;
import java.util.Objects;

/**
 * Identity of an object and its position in the tree.
 *
 * @param key its own
 * @param parent key of the block before it, or of the root, which is no object
 * @param kind kind of the object
 * @param position number of tokens up to its end
 * @param tail how many of them are not its parent's
 */
public record ObjectDescriptor(
        ObjectKey key, ObjectKey parent, ObjectKind kind, int position, int tail) {
    /** Orders blocks and checkpoints after the blocks that they need. */
    static final Comparator<ObjectDescriptor> PARENTS_FIRST =
            Comparator.comparingInt(ObjectDescriptor::position)
                    .thenComparing(ObjectDescriptor::kind);

    /** Checks the components. */
    public ObjectDescriptor {
        Objects.requireNonNull(key);
        Objects.requireNonNull(parent);
        Objects.requireNonNull(kind);
        if (tail < 0 || position < Math.max(1, tail)) {
            throw new IllegalArgumentException(
                    "a tail of " + tail + " tokens does not end at position " + position);
        }
    }

    /** Whether its parent is a root. */
    boolean isFirst() {
        return position == tail;
    }
}
