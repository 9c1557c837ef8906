package dev.varve.platform.shard;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Whether a shard can compute.
 *
 * @param state its current state
 * @param reason why it is not ready
 * @param restarts how often it was lost and recovered
 * @param loading progress of its recovery, unless it is ready
 * @param loss its last loss, if known
 */
public record ShardHealth(
        State state,
        Optional<String> reason,
        long restarts,
        Optional<Recovery> loading,
        Optional<Loss> loss) {
    /** Checks that nothing is missing. */
    public ShardHealth {
        Objects.requireNonNull(loss);
    }

    /** Creates the health of a shard without a known loss. */
    public ShardHealth(
            State state, Optional<String> reason, long restarts, Optional<Recovery> loading) {
        this(state, reason, restarts, loading, Optional.empty());
    }

    /** State of a shard. */
    public enum State {
        /** The shard computes, or waits for work. */
        READY,
        /** The shard was lost; a retry is running. */
        MISSING,
        /** The shard is connected again and loads its weights. */
        LOADING
    }

    /**
     * Progress of a shard's recovery.
     *
     * @param loadedBytes bytes of weights that its process has loaded
     * @param totalBytes total bytes of weights; 0 while unknown
     * @param steps grows with each step of the recovery and never falls; repeated failed attempts
     *     do not count
     */
    public record Recovery(long loadedBytes, long totalBytes, long steps) {}

    /**
     * Loss of a shard.
     *
     * @param reason why it was lost
     * @param ago time since the loss
     * @param outage time until it recovered; empty if it has not
     */
    public record Loss(String reason, Duration ago, Optional<Duration> outage) {}

    /** Returns this health with its last loss. */
    public ShardHealth with(Optional<Loss> other) {
        return new ShardHealth(state, reason, restarts, loading, other);
    }

    /** Ready, never lost. */
    public static ShardHealth ready() {
        return ready(0);
    }

    /** Ready again after a number of losses. */
    public static ShardHealth ready(long restarts) {
        return new ShardHealth(State.READY, Optional.empty(), restarts, Optional.empty());
    }
}
