package dev.varve.platform.remote;

import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardHealth.State;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What is known of a shard in another process: whether it is there, why not, and how far it is on
 * its way back. Not thread-safe.
 */
final class ShardCondition {
    /** A process that has not been reached by then may never be. */
    static final Duration START_LIMIT = Duration.ofSeconds(15);

    private final LongSupplier nanoTime;
    private final RecoveryProgress progress = new RecoveryProgress();
    private State state = State.LOADING;
    private String reason = "it was never started";

    /** Why the incarnation before was given up. */
    private String loss = reason;

    private long incarnations;

    /** When it was lost and came back, by the clock; empty as long as that never happened. */
    private Optional<Long> lostAt = Optional.empty();

    private Optional<Long> backAt = Optional.empty();

    /** When a process that starts counts as missing; empty once it was reached or has failed. */
    private Optional<Long> startsUntil = Optional.empty();

    /**
     * @param nanoTime the clock, such as {@link System#nanoTime}
     */
    ShardCondition(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    boolean isReady() {
        return state == State.READY;
    }

    /** Why it was lost the last time. */
    String loss() {
        return loss;
    }

    /** A shard that worked is gone. */
    void lost(String why) {
        now(State.MISSING, why);
        loss = why;
        lostAt = Optional.of(nanoTime.getAsLong());
        backAt = Optional.empty();
        progress.lost();
    }

    /** A process for it is on its way; if it is not reached in time, it counts as missing. */
    void starts() {
        now(State.LOADING, "its process starts");
        startsUntil = Optional.of(nanoTime.getAsLong() + START_LIMIT.toNanos());
    }

    /** A process was reached, which has loaded nothing yet. */
    void reached() {
        now(State.LOADING, "it loads its weights");
        progress.reached();
    }

    /** It has loaded {@code done} of {@code total} bytes. */
    void loaded(long done, long total) {
        progress.loaded(done, total);
    }

    /** It did not come back. */
    void failed(String why) {
        now(State.MISSING, why);
    }

    /** It has loaded everything. */
    void ready() {
        now(State.READY, "");
        incarnations++;
        backAt = Optional.of(nanoTime.getAsLong());
    }

    private void now(State next, String why) {
        state = next;
        reason = why;
        startsUntil = Optional.empty();
    }

    ShardHealth health() {
        long restarts = Math.max(0, incarnations - 1);
        if (isReady()) {
            return ShardHealth.ready(restarts).with(lastLoss());
        }
        boolean overdue = startsUntil.isPresent() && nanoTime.getAsLong() - startsUntil.get() > 0;
        return new ShardHealth(
                overdue ? State.MISSING : state,
                Optional.of(reason),
                restarts,
                Optional.of(progress.status()),
                lastLoss());
    }

    private Optional<ShardHealth.Loss> lastLoss() {
        return lostAt.map(
                lost ->
                        new ShardHealth.Loss(
                                loss,
                                Duration.ofNanos(nanoTime.getAsLong() - lost),
                                backAt.map(back -> Duration.ofNanos(back - lost))));
    }
}
