package dev.varve.platform.store;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings of a shared archive.
 *
 * @param address address of the store, for display
 * @param namespace the namespace to read and write
 * @param readOnly whether nothing is written
 * @param responseTimeout maximum time to wait for a response
 * @param cipher encrypts written chunks; empty for no encryption
 */
public record SharedArchiveSettings(
        String address,
        Namespace namespace,
        boolean readOnly,
        Duration responseTimeout,
        Optional<ChunkCipher> cipher) {
    /** Checks that no component is null, and that the time is positive. */
    public SharedArchiveSettings {
        Objects.requireNonNull(address);
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(cipher);
        if (!responseTimeout.isPositive()) {
            throw new IllegalArgumentException(
                    "response limit must be positive, got " + responseTimeout);
        }
    }
}
