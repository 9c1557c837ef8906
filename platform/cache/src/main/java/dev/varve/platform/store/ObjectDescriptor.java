package dev.varve.platform.store;

import java.util.Comparator;
import java.util.Objects;

/**
 * Which object it is, and where in its tree.
 *
 * @param key its own
 * @param parent key of the block before it, or of the root, which is no object
 * @param kind what it is good for
 * @param position tokens up to its end
 * @param tail those of them that are not its parent's
 */
public record ObjectDescriptor(
        ObjectKey key, ObjectKey parent, ObjectKind kind, int position, int tail) {
    /** Blocks and checkpoints behind the blocks that they need. */
    static final Comparator<ObjectDescriptor> PARENTS_FIRST =
            Comparator.comparingInt(ObjectDescriptor::position)
                    .thenComparing(ObjectDescriptor::kind);

    /** Checks that nothing is missing. */
    public ObjectDescriptor {
        Objects.requireNonNull(key);
        Objects.requireNonNull(parent);
        Objects.requireNonNull(kind);
        if (tail < 0 || position < Math.max(1, tail)) {
            throw new IllegalArgumentException(tail + " tokens up to " + position);
        }
    }

    /** Whether its parent is a root. */
    boolean isFirst() {
        return position == tail;
    }
}
