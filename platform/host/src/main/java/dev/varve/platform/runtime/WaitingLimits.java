package dev.varve.platform.runtime;

import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.setting.Setting;

import java.time.Duration;
import java.util.Objects;

/**
 * How many requests wait, how long for a shard that was lost, and how long for others.
 *
 * @param queueLimit most requests that wait
 * @param shardPatience how long requests wait for a lost shard that makes no progress
 * @param pace how long streams wait while prompts of others are computed
 */
public record WaitingLimits(int queueLimit, Duration shardPatience, EngineOptions.Pace pace) {
    /** Most waiting requests where nobody asked for another number. */
    public static final int DEFAULT_QUEUE = 64;

    /** Checks that somebody may wait. */
    public WaitingLimits {
        Objects.requireNonNull(shardPatience);
        Objects.requireNonNull(pace);
        if (queueLimit < 1) {
            throw new IllegalArgumentException(
                    Setting.QUEUE_LIMIT + ": expected 1 or more, found " + queueLimit);
        }
    }

    /** The usual queue, patience and pace. */
    public static WaitingLimits defaults() {
        return new WaitingLimits(
                DEFAULT_QUEUE, EngineOptions.DEFAULT_SHARD_PATIENCE, EngineOptions.Pace.DEFAULT);
    }

    /** The same with batches that hold prompts only or decode only. */
    public WaitingLimits withoutMixing() {
        return new WaitingLimits(
                queueLimit, shardPatience, new EngineOptions.Pace(pace.maxGap(), false));
    }
}
