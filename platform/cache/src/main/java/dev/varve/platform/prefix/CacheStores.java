package dev.varve.platform.prefix;

import java.util.Objects;
import java.util.Optional;

/**
 * What lies behind host memory.
 *
 * @param disk of this server
 * @param shared of several servers, behind a disk if there is one
 */
public record CacheStores(Optional<DiskCacheStore> disk, Optional<SharedCacheStore> shared) {
    /** Nothing does. */
    public static final CacheStores NONE = new CacheStores(Optional.empty(), Optional.empty());

    /** Checks that nothing is missing. */
    public CacheStores {
        Objects.requireNonNull(disk);
        Objects.requireNonNull(shared);
    }

    /** A disk alone, if there is one. */
    public static CacheStores of(Optional<DiskCacheStore> disk) {
        return new CacheStores(disk, Optional.empty());
    }

    /** The same for one more cache, which closes them as well. */
    public CacheStores share() {
        return new CacheStores(
                disk.map(DiskCacheStore::share), shared.map(SharedCacheStore::share));
    }

    /** Leaves both. */
    public void close() {
        disk.ifPresent(opened -> opened.archive().close());
        shared.ifPresent(opened -> opened.archive().close());
    }
}
