package dev.varve.platform.runtime;

import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.setting.Setting;

import java.time.Duration;
import java.util.Objects;

/**
 * Queue length, and how long requests wait for a lost shard and for other requests.
 *
 * @param queueLimit most queued requests
 * @param shardPatience how long requests wait for a lost shard that makes no progress
 * @param pace how long streams wait while the prompts of other requests are computed
 */
public record WaitingLimits(
        int queueLimit, Duration shardPatience, EngineOptions.PrefillScheduling pace) {
    /** Default queue length. */
    public static final int DEFAULT_QUEUE = 64;

    /** Checks that the queue has room for a request. */
    public WaitingLimits {
        Objects.requireNonNull(shardPatience);
        Objects.requireNonNull(pace);
        if (queueLimit < 1) {
            throw new IllegalArgumentException(
                    Setting.QUEUE_LIMIT + ": expected 1 or more, found " + queueLimit);
        }
    }

    /** Returns the default queue, patience and pace. */
    public static WaitingLimits defaults() {
        return new WaitingLimits(
                DEFAULT_QUEUE,
                EngineOptions.DEFAULT_SHARD_PATIENCE,
                EngineOptions.PrefillScheduling.DEFAULT);
    }

    /** Returns a copy with batches that hold prompts only or decode only. */
    public WaitingLimits withoutMixing() {
        return new WaitingLimits(
                queueLimit,
                shardPatience,
                new EngineOptions.PrefillScheduling(pace.maxGap(), false));
    }
}
