package dev.varve.platform.engine;

import dev.varve.platform.prefix.CacheStores;
import dev.varve.platform.shard.CacheLayout;

import java.util.Objects;

/**
 * Host memory in which an engine keeps what was computed, beyond what the devices hold.
 *
 * @param layout of what the shards keep of a sequence
 * @param bytes most bytes that it may take
 * @param stores what lies behind it
 */
public record HostCacheOptions(CacheLayout layout, long bytes, CacheStores stores) {
    /** Checks that there is some. */
    public HostCacheOptions {
        Objects.requireNonNull(layout);
        Objects.requireNonNull(stores);
        if (bytes < 1) {
            throw new IllegalArgumentException("host cache of " + bytes + " bytes");
        }
    }

    /** With nothing behind it. */
    public HostCacheOptions(CacheLayout layout, long bytes) {
        this(layout, bytes, CacheStores.NONE);
    }
}
