package dev.varve.platform.shard;

import java.util.Collections;
import java.util.Objects;
import java.util.Set;

/**
 * The cores or the device that a shard computes on. Shards whose units have something in common
 * take turns, since they would only slow each other.
 *
 * @param identity what stands for the unit in this process
 * @param processors numbers of the processors that are used of it; empty: all, or nobody knows
 */
public record ComputeUnit(Object identity, Set<Integer> processors) {
    /** Checks that there is one, and copies the numbers. */
    public ComputeUnit {
        Objects.requireNonNull(identity);
        processors = Set.copyOf(processors);
    }

    /** The whole of a unit. */
    public ComputeUnit(Object identity) {
        this(identity, Set.of());
    }

    /** A part of the same unit. */
    public ComputeUnit only(Set<Integer> some) {
        return new ComputeUnit(identity, some);
    }

    /** Whether what computes on one of them slows what computes on the other. */
    public boolean sharesWith(ComputeUnit other) {
        return identity.equals(other.identity)
                && (processors.isEmpty()
                        || other.processors.isEmpty()
                        || !Collections.disjoint(processors, other.processors));
    }
}
