package dev.varve.platform.store;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings of an archive.
 *
 * @param folder folder of all namespaces; created if it does not exist
 * @param namespace the namespace to read and write
 * @param blockBytes bytes of a block's payload, which determine the chunk size
 * @param readOnly whether nothing is written, so that another process may write
 * @param limits limits of size and time
 * @param cipher encrypts chunks; empty for no encryption
 * @param clock time source of uses
 */
public record ArchiveSettings(
        Path folder,
        Namespace namespace,
        long blockBytes,
        boolean readOnly,
        Limits limits,
        Optional<ChunkCipher> cipher,
        InstantSource clock) {
    /** Checks that no component is null. */
    public ArchiveSettings {
        Objects.requireNonNull(folder);
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(limits);
        Objects.requireNonNull(cipher);
        Objects.requireNonNull(clock);
    }

    /**
     * Limits of size and time.
     *
     * @param budget maximum bytes of all namespaces together
     * @param reserve bytes of the disk that stay free
     * @param ttl time without use after which an object is not found any more
     */
    public record Limits(long budget, long reserve, Optional<Duration> ttl) {
        /** Checks the numbers. */
        public Limits {
            Objects.requireNonNull(ttl);
            if (budget < 1 || reserve < 0) {
                throw new IllegalArgumentException(
                        "budget of " + budget + " bytes, reserve of " + reserve);
            }
        }
    }
}
