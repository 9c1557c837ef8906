package dev.varve.platform.shard;

import java.util.Collections;
import java.util.Objects;
import java.util.Set;

/**
 * The cores or the device that a shard computes on. Shards whose units overlap take turns, since
 * they would only slow each other down.
 *
 * @param identity object that identifies the unit in this process
 * @param processors numbers of the processors that the shard uses; empty: all, or unknown
 */
public record ComputeResource(Object identity, Set<Integer> processors) {
    /** Checks the identity, and copies the numbers. */
    public ComputeResource {
        Objects.requireNonNull(identity);
        processors = Set.copyOf(processors);
    }

    /** Creates a unit with all of its processors. */
    public ComputeResource(Object identity) {
        this(identity, Set.of());
    }

    /** Returns the same unit, limited to some processors. */
    public ComputeResource only(Set<Integer> some) {
        return new ComputeResource(identity, some);
    }

    /** Whether computations on the two units slow each other down. */
    public boolean sharesWith(ComputeResource other) {
        return identity.equals(other.identity)
                && (processors.isEmpty()
                        || other.processors.isEmpty()
                        || !Collections.disjoint(processors, other.processors));
    }
}
