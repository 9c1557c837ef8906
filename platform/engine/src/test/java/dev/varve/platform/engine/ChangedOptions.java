package dev.varve.platform.engine;

import dev.varve.platform.prefix.CacheEventPublisher;

import java.time.Duration;
import java.util.Optional;

/** Copies of engine options that differ in one value. */
public final class ChangedOptions {
    private ChangedOptions() {}

    public static EngineOptions withShardPatience(EngineOptions options, Duration patience) {
        return copy(options, patience, options.hostCache(), options.eventPublisher());
    }

    public static EngineOptions withHostCache(EngineOptions options, HostCacheOptions memory) {
        return copy(
                options, options.shardPatience(), Optional.of(memory), options.eventPublisher());
    }

    static EngineOptions withFeed(EngineOptions options, CacheEventPublisher eventPublisher) {
        return copy(
                options, options.shardPatience(), options.hostCache(), Optional.of(eventPublisher));
    }

    private static EngineOptions copy(
            EngineOptions options,
            Duration patience,
            Optional<HostCacheOptions> memory,
            Optional<CacheEventPublisher> eventPublisher) {
        return new EngineOptions(
                options.capacity(),
                options.queueLimit(),
                options.suppressedTokens(),
                patience,
                options.pace(),
                memory,
                eventPublisher);
    }
}
