package dev.varve.platform.prefix;

import java.util.Objects;
import java.util.Optional;

/**
 * Stores below host memory.
 *
 * @param disk disk of this server
 * @param shared store shared by several servers; searched after the disk if there is one
 * @param handOff prefill peers; used for what no store has
 */
public record StorageTierOptions(
        Optional<DiskTierOptions> disk,
        Optional<SharedTierOptions> shared,
        Optional<HandOffTierOptions> handOff) {
    /** No store. */
    public static final StorageTierOptions NONE =
            new StorageTierOptions(Optional.empty(), Optional.empty());

    /** Checks that no component is null. */
    public StorageTierOptions {
        Objects.requireNonNull(disk);
        Objects.requireNonNull(shared);
        Objects.requireNonNull(handOff);
    }

    /** Creates stores without prefill peers. */
    public StorageTierOptions(Optional<DiskTierOptions> disk, Optional<SharedTierOptions> shared) {
        this(disk, shared, Optional.empty());
    }

    /** Creates stores with a disk only, if there is one. */
    public static StorageTierOptions of(Optional<DiskTierOptions> disk) {
        return new StorageTierOptions(disk, Optional.empty());
    }

    /** Returns the same stores for one more cache, which closes them as well. */
    public StorageTierOptions share() {
        return new StorageTierOptions(
                disk.map(DiskTierOptions::share),
                shared.map(SharedTierOptions::share),
                handOff.map(HandOffTierOptions::share));
    }

    /** Closes the archives and peers for this cache. */
    public void close() {
        disk.ifPresent(opened -> opened.archive().close());
        shared.ifPresent(opened -> opened.archive().close());
        handOff.ifPresent(opened -> opened.peers().close());
    }
}
