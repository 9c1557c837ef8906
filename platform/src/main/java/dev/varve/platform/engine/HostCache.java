package dev.varve.platform.engine;

import dev.varve.platform.prefix.Disk;
import dev.varve.platform.shard.CacheLayout;

import java.util.Objects;
import java.util.Optional;

/**
 * Host memory in which an engine keeps what was computed, beyond what the devices hold.
 *
 * @param layout of what the shards keep of a sequence
 * @param bytes most bytes that it may take
 * @param disk what lies behind it
 */
public record HostCache(CacheLayout layout, long bytes, Optional<Disk> disk) {
    /** Checks that there is some. */
    public HostCache {
        Objects.requireNonNull(layout);
        Objects.requireNonNull(disk);
        if (bytes < 1) {
            throw new IllegalArgumentException("host cache of " + bytes + " bytes");
        }
    }

    /** Without a disk. */
    public HostCache(CacheLayout layout, long bytes) {
        this(layout, bytes, Optional.empty());
    }
}
