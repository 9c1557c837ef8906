package dev.varve.platform.runtime;

import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.setting.Setting;

import java.time.Duration;
import java.util.Objects;

/**
 * How many requests wait, and how long for a shard that was lost.
 *
 * @param queueLimit most requests that wait
 * @param shardPatience how long requests wait for a lost shard that makes no progress
 */
public record WaitingLimits(int queueLimit, Duration shardPatience) {
    /** Most waiting requests where nobody asked for another number. */
    public static final int DEFAULT_QUEUE = 64;

    /** Checks that somebody may wait. */
    public WaitingLimits {
        Objects.requireNonNull(shardPatience);
        if (queueLimit < 1) {
            throw new IllegalArgumentException(
                    Setting.QUEUE_LIMIT + ": expected 1 or more, found " + queueLimit);
        }
    }

    /** The usual queue and patience. */
    public static WaitingLimits defaults() {
        return new WaitingLimits(DEFAULT_QUEUE, EngineOptions.DEFAULT_SHARD_PATIENCE);
    }
}
