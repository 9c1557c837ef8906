package dev.varve.api.transport;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How the two sides connect and authenticate. A transport that cannot use an option rejects it
 * rather than ignoring it, except the token, which the platform also checks.
 *
 * @param connectLimit maximum time for establishing a connection
 * @param identity certificate of this side
 * @param trusted certificates (PEM) that the other side's must descend from
 * @param token secret that both sides know
 * @param insecure whether plain text may leave the machine
 */
public record TransportOptions(
        Duration connectLimit,
        Optional<Identity> identity,
        Optional<Path> trusted,
        Optional<String> token,
        boolean insecure) {
    /**
     * Certificate with which a side authenticates itself.
     *
     * @param certificate certificate chain (PEM)
     * @param key its private key (PEM, PKCS 8)
     */
    public record Identity(Path certificate, Path key) {
        /** Refuses null. */
        public Identity {
            Objects.requireNonNull(certificate);
            Objects.requireNonNull(key);
        }
    }

    /** Refuses null, and a limit that is not positive. */
    public TransportOptions {
        Objects.requireNonNull(identity);
        Objects.requireNonNull(trusted);
        Objects.requireNonNull(token);
        if (connectLimit.isNegative() || connectLimit.isZero()) {
            throw new IllegalArgumentException(
                    "connect limit must be positive, got " + connectLimit);
        }
    }

    /** Returns options with ten seconds to connect and no credentials. */
    public static TransportOptions defaults() {
        return new TransportOptions(
                Duration.ofSeconds(10),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /** Returns the same options with a secret. */
    public TransportOptions withToken(String secret) {
        return new TransportOptions(connectLimit, identity, trusted, Optional.of(secret), insecure);
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "TransportOptions[connectLimit="
                + connectLimit
                + ", identity="
                + identity
                + ", trusted="
                + trusted
                + ", token="
                + (token.isPresent() ? "set" : "none")
                + ", insecure="
                + insecure
                + "]";
    }
}
