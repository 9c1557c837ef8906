package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.lora.LoraScales;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Counts the requests that use each LoRA adapter of a model, so that an adapter is freed after the
 * last of them. Thread-safe.
 */
public final class AdapterLeases {
    /** An adapter and the number of requests that use it. */
    private static final class Use {
        final String content;
        final CompletableFuture<Void> unused = new CompletableFuture<>();
        int requests;
        boolean retired;

        Use(String content) {
            this.content = content;
        }
    }

    /** Scales with which the first adapters were loaded, by their numbers. */
    private final List<Float> loaded;

    /** By the numbers; guarded by this. */
    private final Map<Integer, Use> uses = new HashMap<>();

    /** Ends the use of the adapters of a request; later calls do nothing. */
    public interface Lease extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Creates the leases of a model.
     *
     * @param loaded scales of the adapters that were loaded with it
     */
    public AdapterLeases(List<Float> loaded) {
        this.loaded = List.copyOf(loaded);
        for (int number = 0; number < loaded.size(); number++) {
            uses.put(number, new Use(""));
        }
    }

    /** Permits requests to use an adapter that was added, under a number that is not in use. */
    public synchronized void add(int number, String content) {
        if (uses.putIfAbsent(number, new Use(content)) != null) {
            throw new IllegalStateException("adapter " + number + " exists");
        }
    }

    /**
     * Refuses an adapter to requests that arrive later.
     *
     * @return completes when no request uses it, after which {@link #forget} frees the number
     * @throws VarveException of kind INVALID_REQUEST if there is none
     */
    public CompletableFuture<Void> retire(int number) {
        Use use;
        synchronized (this) {
            use = uses.get(number);
            if (use == null || use.retired) {
                throw missing(number);
            }
            use.retired = true;
        }
        complete(List.of(use));
        return use.unused;
    }

    /** Frees the number of an adapter that was retired. */
    public synchronized void forget(int number) {
        uses.remove(number);
    }

    /**
     * Returns the lowest number for an adapter that is added. Adapters that were loaded with the
     * model keep theirs: a replica that is loaded again begins with them, also with removed ones.
     */
    public synchronized int unusedNumber() {
        int number = loaded.size();
        while (uses.containsKey(number)) {
            number++;
        }
        return number;
    }

    /**
     * Begins the use of the adapters of a request.
     *
     * @throws VarveException of kind INVALID_REQUEST if one of them was removed or replaced
     */
    public synchronized Lease acquire(LoraScales scales) {
        List<Use> used = new ArrayList<>();
        int count = scales.areAsLoaded() ? loaded.size() : scales.values().size();
        for (int number = 0; number < count; number++) {
            if (scales.of(number, number < loaded.size() ? loaded.get(number) : 0) != 0) {
                used.add(require(number, scales.content(number)));
            }
        }
        used.forEach(use -> use.requests++);
        return new Releasing(used);
    }

    private Use require(int number, String content) {
        Use use = uses.get(number);
        if (use == null || use.retired || !use.content.equals(content)) {
            throw missing(number);
        }
        return use;
    }

    private static VarveException missing(int number) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "LoRA adapter " + number + ": the model has none with this id; it was removed");
    }

    private final class Releasing implements Lease {
        private final List<Use> used;
        private boolean closed;

        Releasing(List<Use> used) {
            this.used = List.copyOf(used);
        }

        @Override
        public void close() {
            synchronized (AdapterLeases.this) {
                if (closed) {
                    return;
                }
                closed = true;
                used.forEach(use -> use.requests--);
            }
            complete(used);
        }
    }

    /** Completes the futures of {@link #retire} for unused adapters, without the lock. */
    private void complete(List<Use> used) {
        List<Use> unused = new ArrayList<>();
        synchronized (this) {
            for (Use use : used) {
                if (use.retired && use.requests == 0) {
                    unused.add(use);
                }
            }
        }
        unused.forEach(use -> use.unused.complete(null));
    }
}
