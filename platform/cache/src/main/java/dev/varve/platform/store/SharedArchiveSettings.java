package dev.varve.platform.store;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How the objects of a shared store are used.
 *
 * @param address for people
 * @param namespace the one that is read and written
 * @param readOnly whether nothing is written
 * @param answerLimit how long a request waits for an answer
 * @param cipher encrypts what is written; empty: it is not encrypted
 */
public record SharedArchiveSettings(
        String address,
        Namespace namespace,
        boolean readOnly,
        Duration answerLimit,
        Optional<ChunkCipher> cipher) {
    /** Checks that nothing is missing, and that the time is positive. */
    public SharedArchiveSettings {
        Objects.requireNonNull(address);
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(cipher);
        if (!answerLimit.isPositive()) {
            throw new IllegalArgumentException("an answer within " + answerLimit);
        }
    }
}
