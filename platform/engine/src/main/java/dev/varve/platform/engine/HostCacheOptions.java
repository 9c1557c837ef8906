package dev.varve.platform.engine;

import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.shard.CacheLayout;

import java.util.Objects;

/**
 * Host memory in which an engine keeps cached prefixes beyond the memory of the devices.
 *
 * @param layout layout of a sequence's data in the shards
 * @param bytes most bytes to use
 * @param stores disk and shared stores behind it
 */
public record HostCacheOptions(CacheLayout layout, long bytes, StorageTierOptions stores) {
    /** Checks that {@code bytes} is positive. */
    public HostCacheOptions {
        Objects.requireNonNull(layout);
        Objects.requireNonNull(stores);
        if (bytes < 1) {
            throw new IllegalArgumentException("host cache of " + bytes + " bytes");
        }
    }

    /** Creates options without disk and shared stores. */
    public HostCacheOptions(CacheLayout layout, long bytes) {
        this(layout, bytes, StorageTierOptions.NONE);
    }
}
