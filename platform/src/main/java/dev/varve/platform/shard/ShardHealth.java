package dev.varve.platform.shard;

import java.util.Optional;

/**
 * Whether a shard can compute.
 *
 * @param state what it does now
 * @param reason why it is not ready
 * @param restarts how often it was lost and came back
 */
public record ShardHealth(State state, Optional<String> reason, long restarts) {
    /** What a shard does. */
    public enum State {
        /** It computes, or waits for work. */
        READY,
        /** It is gone; somebody tries to get it back. */
        MISSING,
        /** It is back and loads its weights. */
        LOADING
    }

    /** Nothing ever happened to it. */
    public static ShardHealth ready() {
        return new ShardHealth(State.READY, Optional.empty(), 0);
    }
}
