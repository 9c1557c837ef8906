package dev.varve.platform.shard;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Whether a shard can compute.
 *
 * @param state what it does now
 * @param reason why it is not ready
 * @param restarts how often it was lost and came back
 * @param loading how far it is on its way back, unless it is ready
 * @param loss how it was lost the last time, if that is known
 */
public record ShardHealth(
        State state,
        Optional<String> reason,
        long restarts,
        Optional<Loading> loading,
        Optional<Loss> loss) {
    /** Checks that nothing is missing. */
    public ShardHealth {
        Objects.requireNonNull(loss);
    }

    /** A shard of which is not known how it was lost. */
    public ShardHealth(
            State state, Optional<String> reason, long restarts, Optional<Loading> loading) {
        this(state, reason, restarts, loading, Optional.empty());
    }

    /** What a shard does. */
    public enum State {
        /** It computes, or waits for work. */
        READY,
        /** It is gone; somebody tries to get it back. */
        MISSING,
        /** It is back and loads its weights. */
        LOADING
    }

    /**
     * How far a shard is on its way back.
     *
     * @param loadedBytes bytes of weights that its process has loaded
     * @param totalBytes of as many; 0 as long as nobody knows
     * @param steps grows whenever the shard comes closer to its return, and never falls; attempts
     *     that fail again and again do not count
     */
    public record Loading(long loadedBytes, long totalBytes, long steps) {}

    /**
     * How a shard was lost.
     *
     * @param reason why
     * @param ago time since then
     * @param outage time until it was back; empty while it is not
     */
    public record Loss(String reason, Duration ago, Optional<Duration> outage) {}

    /** The same with how it was lost. */
    public ShardHealth with(Optional<Loss> other) {
        return new ShardHealth(state, reason, restarts, loading, other);
    }

    /** Nothing ever happened to it. */
    public static ShardHealth ready() {
        return ready(0);
    }

    /** It was lost and came back. */
    public static ShardHealth ready(long restarts) {
        return new ShardHealth(State.READY, Optional.empty(), restarts, Optional.empty());
    }
}
