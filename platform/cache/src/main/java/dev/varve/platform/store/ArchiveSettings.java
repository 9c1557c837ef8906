package dev.varve.platform.store;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;

/**
 * How an archive is opened.
 *
 * @param folder where all namespaces lie; made if it is not there
 * @param namespace the one that is read and written
 * @param blockBytes bytes of a block's payload, for which chunks are made to fit
 * @param readOnly whether nothing is written, so that another process may be writing
 * @param limits how much is kept, and how long
 * @param cipher encrypts chunks; empty: they are not encrypted
 * @param clock tells the time of uses
 */
public record ArchiveSettings(
        Path folder,
        Namespace namespace,
        long blockBytes,
        boolean readOnly,
        Limits limits,
        Optional<ChunkCipher> cipher,
        InstantSource clock) {
    /** Checks that nothing is missing. */
    public ArchiveSettings {
        Objects.requireNonNull(folder);
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(limits);
        Objects.requireNonNull(cipher);
        Objects.requireNonNull(clock);
    }

    /**
     * How much is kept, and how long.
     *
     * @param budget most bytes of all namespaces together
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
