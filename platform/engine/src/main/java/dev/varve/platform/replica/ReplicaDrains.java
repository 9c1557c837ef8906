package dev.varve.platform.replica;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.ReplicaControl;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Drains replicas of a pool and resumes them. A drained replica has no engine; its requests
 * continue at the others. Thread-safe.
 */
final class ReplicaDrains implements ReplicaControl {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final List<Replica> replicas;
    private final ReplicaRestarter restarter;
    private final Consumer<Replica> loader;
    private boolean closed;

    /**
     * @param restarter closes engines on its thread
     * @param loader starts to load a replica on that thread
     */
    ReplicaDrains(List<Replica> replicas, ReplicaRestarter restarter, Consumer<Replica> loader) {
        this.replicas = replicas;
        this.restarter = restarter;
        this.loader = loader;
    }

    @Override
    public int count() {
        return replicas.size();
    }

    // One order at a time: of two replicas that are drained at once, the second is refused.
    @Override
    public synchronized CompletableFuture<Void> drain(int id) {
        requireOpen();
        Replica replica = require(id);
        if (replica.drain().isPresent()) {
            return replica.drain().get();
        }
        if (replicas.stream().noneMatch(each -> each != replica && each.acceptsRequests())) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "replica "
                            + id
                            + " cannot be drained: no other replica accepts requests at the"
                            + " moment");
        }
        LOG.log(System.Logger.Level.INFO, "replica {0} is being drained", id);
        CompletableFuture<Void> end = replica.startDrain();
        closeWhenEmpty(replica, end);
        return end;
    }

    /** Closes the engine of a replica after its requests have moved. */
    private void closeWhenEmpty(Replica replica, CompletableFuture<Void> end) {
        Optional<LoadedEngine> member = replica.member();
        member.map(each -> emptied(replica, each))
                .orElseGet(() -> CompletableFuture.completedFuture(null))
                .thenRun(() -> restarter.execute(() -> close(replica, member, end)));
    }

    /** Moves the requests of an engine, and remembers its prefixes for a resumption. */
    private static CompletableFuture<Void> emptied(Replica replica, LoadedEngine engine) {
        return engine.engine()
                .evacuate()
                .thenCompose(moved -> ReplicaWarmup.recent(engine))
                .thenAccept(replica::remember);
    }

    private void close(
            Replica replica, Optional<LoadedEngine> evacuated, CompletableFuture<Void> end) {
        if (!replica.member().equals(evacuated)) {
            // It was loaded again meanwhile.
            closeWhenEmpty(replica, end);
            return;
        }
        replica.markFailed(
                new VarveException(VarveException.Kind.UNAVAILABLE, "an operator drained it"));
        try {
            replica.removeEngine().ifPresent(LoadedEngine::close);
        } finally {
            LOG.log(System.Logger.Level.INFO, "replica {0} is drained", replica.id());
            end.complete(null);
        }
    }

    @Override
    public synchronized CompletableFuture<Void> resume(int id) {
        requireOpen();
        Replica replica = require(id);
        Optional<CompletableFuture<Void>> drain = replica.drain();
        if (drain.isEmpty()) {
            return replica.resumption().orElseGet(() -> CompletableFuture.completedFuture(null));
        }
        if (!drain.get().isDone()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "replica " + id + " cannot be resumed: it is still being drained");
        }
        CompletableFuture<Void> loaded = replica.startResumption();
        loader.accept(replica);
        return loaded;
    }

    /** Rejects further orders, and fails those that have not ended: their work is discarded. */
    synchronized void close() {
        closed = true;
        replicas.forEach(each -> each.endOrders(closing()));
    }

    private void requireOpen() {
        if (closed) {
            throw closing();
        }
    }

    private static VarveException closing() {
        return new VarveException(VarveException.Kind.UNAVAILABLE, "the model is being closed");
    }

    private Replica require(int id) {
        if (id < 0 || id >= replicas.size()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "expected a replica from 0 to " + (replicas.size() - 1) + ", found " + id);
        }
        return replicas.get(id);
    }
}
