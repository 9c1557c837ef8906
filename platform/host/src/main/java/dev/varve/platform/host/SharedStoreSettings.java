package dev.varve.platform.host;

import dev.varve.api.snapshot.SharedStoreAddress;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Where computed prompts are shared with other servers.
 *
 * @param address of the store
 * @param answerLimit how long a request waits for an answer of it
 * @param keyFile key for what is written; without one it is not encrypted
 * @param readOnly whether nothing is written
 * @param sharesBackends whether what other backends or releases of ggml computed may be used
 */
public record SharedStoreSettings(
        SharedStoreAddress address,
        Duration answerLimit,
        Optional<Path> keyFile,
        boolean readOnly,
        boolean sharesBackends) {
    /** How long a value is kept where nobody says. */
    public static final Duration USUAL_TTL = Duration.ofHours(24);

    /** How long an answer is waited for where nobody says. */
    public static final Duration USUAL_LIMIT = Duration.ofMillis(500);

    /** Checks that nothing is missing, and that the time is positive. */
    public SharedStoreSettings {
        Objects.requireNonNull(address);
        Objects.requireNonNull(keyFile);
        if (!answerLimit.isPositive()) {
            throw new IllegalArgumentException("an answer within " + answerLimit);
        }
    }
}
