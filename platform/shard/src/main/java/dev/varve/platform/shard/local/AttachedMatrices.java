package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Counts the shards that use the matrices of each adapter of a model, and frees matrices after the
 * last of them. Thread-safe.
 */
final class AttachedMatrices {
    /** Matrices of an adapter, and the number of shards that use them. */
    private static final class Attached {
        final GgufFile adapter;
        final ShardWeights matrices;
        int users;

        Attached(GgufFile adapter, ShardWeights matrices) {
            this.adapter = adapter;
            this.matrices = matrices;
        }
    }

    /** By the numbers of the adapters; guarded by this. */
    private final Map<Integer, Attached> attached = new HashMap<>();

    /**
     * Registers a shard that uses an adapter, and loads its matrices for the first one.
     *
     * @return the matrices, if they were loaded now
     * @throws VarveException of kind UNAVAILABLE if another shard still uses another adapter with
     *     this number
     */
    synchronized Optional<ShardWeights> attach(
            int number, GgufFile adapter, Supplier<ShardWeights> load) {
        Attached known = attached.get(number);
        if (known == null) {
            Attached fresh = new Attached(adapter, load.get());
            fresh.users = 1;
            attached.put(number, fresh);
            return Optional.of(fresh.matrices);
        }
        if (known.adapter != adapter) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    adapter.path().getFileName()
                            + ": another replica has not freed the adapter "
                            + known.adapter.path().getFileName()
                            + " yet; try again later");
        }
        known.users++;
        return Optional.empty();
    }

    /**
     * Ends the use of an adapter by one shard.
     *
     * @return the matrices if no shard uses them any more; the caller closes them
     */
    synchronized Optional<ShardWeights> detach(int number) {
        Attached known = attached.get(number);
        if (known == null || --known.users > 0) {
            return Optional.empty();
        }
        attached.remove(number);
        return Optional.of(known.matrices);
    }

    /** Returns the sum of a size of all matrices. */
    synchronized long sum(ToLongFunction<ShardWeights> bytes) {
        return attached.values().stream().mapToLong(each -> bytes.applyAsLong(each.matrices)).sum();
    }

    /** Frees all matrices. */
    synchronized void close() {
        attached.values().forEach(each -> each.matrices.close());
        attached.clear();
    }
}
