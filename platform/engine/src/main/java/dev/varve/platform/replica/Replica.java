package dev.varve.platform.replica;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.ReplicaStatus.State;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The place of an engine in a pool: the engine may break, and another one takes its place. */
final class Replica {
    /** Failed steps without a finished request in between, after which it counts as broken. */
    private static final int MOST_STRIKES = 3;

    private final int id;
    private final AtomicLong owedTokens = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();
    private final AtomicLong restarts = new AtomicLong();
    private final AtomicInteger strikes = new AtomicInteger();
    private volatile PromptIndex index = new PromptIndex(0);
    private volatile Optional<PooledEngine> member = Optional.empty();
    private volatile Optional<VarveException> reason = Optional.empty();
    private volatile long openedAt;

    /** What engines did that are not there any more. */
    private Optional<EngineStatus> past = Optional.empty();

    Replica(int id) {
        this.id = id;
    }

    int id() {
        return id;
    }

    /** The engine that is there, maybe a broken one; empty while none is. */
    Optional<PooledEngine> member() {
        return member;
    }

    PromptIndex index() {
        return index;
    }

    /** Tokens that its requests still have to be computed for, as far as that can be foreseen. */
    AtomicLong owedTokens() {
        return owedTokens;
    }

    boolean acceptsRequests() {
        return member.filter(each -> each.engine().acceptsRequests()).isPresent();
    }

    /** An engine is there. */
    synchronized void put(PooledEngine opened) {
        EngineStatus status = opened.engine().status();
        index = new PromptIndex(cacheTokens(status));
        strikes.set(0);
        openedAt = System.nanoTime();
        // Not while it gets requests.
        reason = Optional.empty();
        member = Optional.of(opened);
    }

    /** Tokens that devices and host memory hold. */
    private static long cacheTokens(EngineStatus status) {
        long slots = status.slots().total();
        long bytesPerToken = Math.max(1, status.memory().kv() / Math.max(1, slots));
        return slots + status.cache().host().limitBytes() / bytesPerToken;
    }

    /** Its engine is broken. */
    void lose(VarveException why) {
        reason = Optional.of(why);
        index.clear();
    }

    /** Takes the broken engine out; what it did still counts. */
    synchronized Optional<PooledEngine> take() {
        Optional<PooledEngine> taken = member;
        taken.ifPresent(broken -> remember(broken.engine().status()));
        member = Optional.empty();
        return taken;
    }

    private void remember(EngineStatus last) {
        String why = reason.map(VarveException::getMessage).orElse("its replica is loaded again");
        EngineStatus counts = EngineStatusSum.countsOf(last, why);
        past =
                Optional.of(
                        past.map(before -> EngineStatusSum.after(counts, before)).orElse(counts));
    }

    /** How long its engine lived. */
    long livedNanos() {
        return System.nanoTime() - openedAt;
    }

    void countRestart() {
        restarts.incrementAndGet();
    }

    void countMove() {
        moved.incrementAndGet();
    }

    /** A request ended well. */
    void succeeded() {
        strikes.set(0);
    }

    /** A step failed; whether that happened too often in a row. */
    boolean failsAgain() {
        return strikes.incrementAndGet() == MOST_STRIKES;
    }

    /**
     * What it and those before it did and do, with all shards, missing ones while no engine is
     * there; empty while nothing was there.
     */
    synchronized Optional<EngineStatus> status() {
        Optional<EngineStatus> now = member.map(each -> each.engine().status()).map(this::judged);
        if (now.isPresent() && past.isPresent()) {
            return Optional.of(EngineStatusSum.after(now.get(), past.get()));
        }
        return now.or(() -> past);
    }

    /** Shards of a broken engine may be well, and compute for nobody. */
    private EngineStatus judged(EngineStatus status) {
        return reason.map(why -> EngineStatusSum.broken(status, why.getMessage())).orElse(status);
    }

    private State state(EngineStatus status) {
        if (reason.isPresent() || member.isEmpty()) {
            return State.DOWN;
        }
        // The last one that lacks a shard takes requests, which wait there.
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
                new ReplicaStatus.Moves(moved.get(), restarts.get()));
    }

    private static Optional<String> missing(State state, EngineStatus status) {
        return state == State.READY
                ? Optional.empty()
                : status.missingShards().stream()
                        .findFirst()
                        .flatMap(shard -> shard.health().reason());
    }
}
