package dev.varve.platform.prefix;

import java.util.Objects;
import java.util.Optional;

/**
 * Stores below host memory.
 *
 * @param disk disk of this server
 * @param shared store shared by several servers; searched after the disk if there is one
 */
public record StorageTierOptions(
        Optional<DiskTierOptions> disk, Optional<SharedTierOptions> shared) {
    /** No store. */
    public static final StorageTierOptions NONE =
            new StorageTierOptions(Optional.empty(), Optional.empty());

    /** Checks that no component is null. */
    public StorageTierOptions {
        Objects.requireNonNull(disk);
        Objects.requireNonNull(shared);
    }

    /** Creates stores with a disk only, if there is one. */
    public static StorageTierOptions of(Optional<DiskTierOptions> disk) {
        return new StorageTierOptions(disk, Optional.empty());
    }

    /** Returns the same stores for one more cache, which closes them as well. */
    public StorageTierOptions share() {
        return new StorageTierOptions(
                disk.map(DiskTierOptions::share), shared.map(SharedTierOptions::share));
    }

    /** Closes both archives for this cache. */
    public void close() {
        disk.ifPresent(opened -> opened.archive().close());
        shared.ifPresent(opened -> opened.archive().close());
    }
}
