package dev.varve.platform.shard;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * The cores or the device that a shard computes on. Shards whose units overlap take turns, since
 * they would only slow each other down.
 *
 * @param identity object that identifies the unit in this process
 * @param processors numbers of the processors that the shard uses; empty: all, or unknown
 * @param others further units, which hold some of its weights
 */
public record ComputeResource(Object identity, Set<Integer> processors, Set<Object> others) {
    /** Checks the identity, and copies the sets. */
    public ComputeResource {
        Objects.requireNonNull(identity);
        processors = Set.copyOf(processors);
        others = Set.copyOf(others);
    }

    /** Creates a unit that computes everything itself. */
    public ComputeResource(Object identity, Set<Integer> processors) {
        this(identity, processors, Set.of());
    }

    /** Creates a unit with all of its processors. */
    public ComputeResource(Object identity) {
        this(identity, Set.of());
    }

    /** Returns the same unit, limited to some processors. */
    public ComputeResource only(Set<Integer> some) {
        return new ComputeResource(identity, some, others);
    }

    /** Returns the same unit with further ones. */
    public ComputeResource and(Collection<Object> more) {
        Set<Object> all = new HashSet<>(more);
        all.addAll(others);
        all.remove(identity);
        return new ComputeResource(identity, processors, all);
    }

    /** Whether computations on the two units slow each other down. */
    public boolean sharesWith(ComputeResource other) {
        return others.contains(other.identity)
                || other.others.contains(identity)
                || !Collections.disjoint(others, other.others)
                || sharesIdentityWith(other);
    }

    private boolean sharesIdentityWith(ComputeResource other) {
        return identity.equals(other.identity)
                && (processors.isEmpty()
                        || other.processors.isEmpty()
                        || !Collections.disjoint(processors, other.processors));
    }
}
