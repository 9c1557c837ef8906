package dev.varve.platform.replica;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.ReplicaStatus.State;
import dev.varve.platform.prefix.RecentPrefix;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A replica of a pool. Its engine may fail, and is then replaced by another one. */
final class Replica implements RoutingTarget {
    /** Failed steps without a completed request in between, after which its engine is failed. */
    private static final int MAX_FAILED_STEPS = 3;

    private final int id;
    private final AtomicLong outstandingTokens = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();
    private final AtomicLong restarts = new AtomicLong();
    private final AtomicInteger failedSteps = new AtomicInteger();
    private volatile CachedPrefixEstimate prefixEstimate = new CachedPrefixEstimate(0);
    private volatile Optional<LoadedEngine> member = Optional.empty();
    private volatile Optional<VarveException> reason = Optional.empty();
    private volatile long openedAt;

    /** The operator's order to drain it; empty if there is none, or it was resumed. */
    private volatile Optional<CompletableFuture<Void>> drain = Optional.empty();

    /** Completes when it is loaded after a drain; empty from then on. */
    private volatile Optional<CompletableFuture<Void>> resumption = Optional.empty();

    /** Prefixes that its engine had when it was drained. */
    private volatile List<RecentPrefix> recent = List.of();

    /** Counters of the earlier engines. */
    private Optional<EngineStatus> past = Optional.empty();

    Replica(int id) {
        this.id = id;
    }

    int id() {
        return id;
    }

    /** Returns the engine, possibly a failed one; empty while none is loaded. */
    Optional<LoadedEngine> member() {
        return member;
    }

    @Override
    public CachedPrefixEstimate prefixEstimate() {
        return prefixEstimate;
    }

    /** Returns the estimated number of tokens that are still to be computed for its requests. */
    AtomicLong outstandingTokens() {
        return outstandingTokens;
    }

    @Override
    public long owedTokens() {
        return outstandingTokens.get();
    }

    /** Returns whether it has an engine that has not failed. */
    boolean isLoaded() {
        return member.filter(each -> !each.engine().broken().isDone()).isPresent();
    }

    boolean acceptsRequests() {
        return drain.isEmpty()
                && member.filter(each -> each.engine().acceptsRequests()).isPresent();
    }

    /** Remembers the recent prefixes of an engine that is being drained. */
    void remember(List<RecentPrefix> prefixes) {
        recent = prefixes;
    }

    /** Returns the remembered prefixes, once. */
    List<RecentPrefix> takeRecent() {
        List<RecentPrefix> taken = recent;
        recent = List.of();
        return taken;
    }

    /** Returns the order to drain it, if there is one; completed when its engine is closed. */
    Optional<CompletableFuture<Void>> drain() {
        return drain;
    }

    /**
     * Records the order to drain it: it accepts no requests from here on. A resumption that has not
     * ended fails, since the replica is not loaded while it is drained.
     */
    CompletableFuture<Void> startDrain() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        drain = Optional.of(end);
        failResumption(
                new VarveException(
                        VarveException.Kind.UNAVAILABLE,
                        "replica " + id + " was drained again before it was loaded"));
        return end;
    }

    /** Removes the order to drain it; returns a future that completes when it is loaded. */
    CompletableFuture<Void> startResumption() {
        CompletableFuture<Void> loaded = new CompletableFuture<>();
        resumption = Optional.of(loaded);
        drain = Optional.empty();
        return loaded;
    }

    /** Returns the future of a resumption that has not succeeded yet. */
    Optional<CompletableFuture<Void>> resumption() {
        return resumption;
    }

    /** Fails a resumption that has not ended. */
    void failResumption(VarveException why) {
        resumption.ifPresent(each -> each.completeExceptionally(why));
    }

    /** Fails orders that have not ended, since the pool closes. */
    void endOrders(VarveException why) {
        drain.ifPresent(each -> each.completeExceptionally(why));
        failResumption(why);
    }

    /** Sets the engine after it was loaded. */
    synchronized void put(LoadedEngine opened) {
        EngineStatus status = opened.engine().status();
        prefixEstimate = new CachedPrefixEstimate(cacheTokens(status));
        failedSteps.set(0);
        openedAt = System.nanoTime();
        // Cleared before the engine accepts requests.
        reason = Optional.empty();
        member = Optional.of(opened);
        resumption.ifPresent(each -> each.complete(null));
        resumption = Optional.empty();
    }

    /** Returns the number of tokens that devices and host memory can hold. */
    private static long cacheTokens(EngineStatus status) {
        long slots = status.slots().total();
        long bytesPerToken = Math.max(1, status.memory().kv() / Math.max(1, slots));
        return slots + status.cache().host().limitBytes() / bytesPerToken;
    }

    /** Marks the engine as failed. */
    void markFailed(VarveException why) {
        reason = Optional.of(why);
        prefixEstimate.clear();
    }

    /** Removes and returns the engine; its counters are kept. */
    synchronized Optional<LoadedEngine> removeEngine() {
        Optional<LoadedEngine> taken = member;
        taken.ifPresent(broken -> addPastCounts(broken.engine().status()));
        member = Optional.empty();
        return taken;
    }

    private void addPastCounts(EngineStatus last) {
        String why = reason.map(VarveException::getMessage).orElse("the replica is loaded again");
        EngineStatus counts = EngineStatusSum.countsOf(last, why);
        past =
                Optional.of(
                        past.map(before -> EngineStatusSum.after(counts, before)).orElse(counts));
    }

    /** Returns the time since its engine was loaded, in ns. */
    long uptimeNanos() {
        return System.nanoTime() - openedAt;
    }

    void countRestart() {
        restarts.incrementAndGet();
    }

    void countMove() {
        moved.incrementAndGet();
    }

    /** Records a completed request. */
    void succeeded() {
        failedSteps.set(0);
    }

    /** Records a failed step; returns whether the number in a row has reached the limit. */
    boolean failsAgain() {
        return failedSteps.incrementAndGet() == MAX_FAILED_STEPS;
    }

    /**
     * Returns the status of its engine with the counters of earlier ones. All shards are listed, as
     * missing while no engine is loaded. Empty before the first engine.
     */
    synchronized Optional<EngineStatus> status() {
        Optional<EngineStatus> now =
                member.map(each -> each.engine().status()).map(this::withoutLostShards);
        if (now.isPresent() && past.isPresent()) {
            return Optional.of(EngineStatusSum.after(now.get(), past.get()));
        }
        return now.or(() -> past);
    }

    /** Marks the shards of a failed engine as missing, although they may be healthy. */
    private EngineStatus withoutLostShards(EngineStatus status) {
        return reason.map(why -> EngineStatusSum.broken(status, why.getMessage())).orElse(status);
    }

    private State state(EngineStatus status) {
        // Read once: it may be resumed meanwhile.
        Optional<CompletableFuture<Void>> order = drain;
        if (order.isPresent()) {
            return order.get().isDone() ? State.DRAINED : State.DRAINING;
        }
        if (reason.isPresent() || member.isEmpty()) {
            return State.DOWN;
        }
        // A replica that lacks a shard accepts requests, which wait, if no other replica is open.
        return acceptsRequests() && status.missingShards().isEmpty()
                ? State.READY
                : State.RECOVERING;
    }

    ReplicaStatus describe(EngineStatus status) {
        State state = state(status);
        return new ReplicaStatus(
                id,
                state,
                reason.map(VarveException::getMessage).or(() -> missing(state, status)),
                status.load(),
                status.counts().tokens(),
                new ReplicaStatus.FailoverCounts(moved.get(), restarts.get()));
    }

    private static Optional<String> missing(State state, EngineStatus status) {
        return state == State.READY
                ? Optional.empty()
                : status.missingShards().stream()
                        .findFirst()
                        .flatMap(shard -> shard.health().reason());
    }
}
