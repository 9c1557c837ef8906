package dev.varve.platform.host;

import dev.varve.api.snapshot.SharedStoreAddress;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings of a store that several servers share.
 *
 * @param address of the store
 * @param responseTimeout how long a request waits for a response of it
 * @param keyFile encryption key for written data; without one it is not encrypted
 * @param readOnly whether the store is never written
 * @param sharesBackends whether data of other backends or releases of ggml may be used
 */
public record SharedStoreSettings(
        SharedStoreAddress address,
        Duration responseTimeout,
        Optional<Path> keyFile,
        boolean readOnly,
        boolean sharesBackends) {
    /** Default time that a value is kept. */
    public static final Duration USUAL_TTL = Duration.ofHours(24);

    /** Default time limit of a response. */
    public static final Duration USUAL_LIMIT = Duration.ofMillis(500);

    /** Checks that nothing is missing, and that the time is positive. */
    public SharedStoreSettings {
        Objects.requireNonNull(address);
        Objects.requireNonNull(keyFile);
        if (!responseTimeout.isPositive()) {
            throw new IllegalArgumentException(
                    "time limit of the shared store: expected more than 0, found "
                            + responseTimeout);
        }
    }
}
