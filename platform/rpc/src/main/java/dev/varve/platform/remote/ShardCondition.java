package dev.varve.platform.remote;

import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardHealth.State;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * State of a shard in another process: whether it is ready, why not, and its loading progress. Not
 * thread-safe.
 */
final class ShardCondition {
    /** Time limit to reach a process; after it the process counts as missing. */
    static final Duration START_LIMIT = Duration.ofSeconds(15);

    private final LongSupplier nanoTime;
    private final RecoveryProgress progress = new RecoveryProgress();
    private State state = State.LOADING;
    private String reason = "it was never started";

    /** Why the previous incarnation was lost. */
    private String loss = reason;

    private long startCount;

    /** Clock times of the last loss and recovery; empty before the first loss. */
    private Optional<Long> lostAt = Optional.empty();

    private Optional<Long> backAt = Optional.empty();

    /**
     * Clock time at which a starting process counts as missing; empty once it was reached or has
     * failed.
     */
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

    /** Returns the reason of the last loss. */
    String loss() {
        return loss;
    }

    /** Records that a working shard was lost. */
    void lost(String why) {
        now(State.MISSING, why);
        loss = why;
        lostAt = Optional.of(nanoTime.getAsLong());
        backAt = Optional.empty();
        progress.lost();
    }

    /** Records that a process starts; if it is not reached in time, it counts as missing. */
    void starts() {
        now(State.LOADING, "its process starts");
        startsUntil = Optional.of(nanoTime.getAsLong() + START_LIMIT.toNanos());
    }

    /** Records that a process was reached, which has not loaded any weights. */
    void reached() {
        now(State.LOADING, "it loads its weights");
        progress.reached();
    }

    /** Records that {@code done} of {@code total} bytes are loaded. */
    void loaded(long done, long total) {
        progress.loaded(done, total);
    }

    /** Records that an attempt to restart it failed. */
    void failed(String why) {
        now(State.MISSING, why);
    }

    /** Records that all weights are loaded. */
    void ready() {
        now(State.READY, "");
        startCount++;
        backAt = Optional.of(nanoTime.getAsLong());
    }

    private void now(State next, String why) {
        state = next;
        reason = why;
        startsUntil = Optional.empty();
    }

    ShardHealth health() {
        long restarts = Math.max(0, startCount - 1);
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
