package dev.varve.api.transport;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How the two sides find and trust each other. A transport that has no use for a part refuses it
 * rather than ignoring it, except the token, which the platform checks as well.
 *
 * @param connectLimit most time until the connection stands
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
     * What a side shows of itself.
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
            throw new IllegalArgumentException("connect limit " + connectLimit);
        }
    }

    /** Ten seconds to connect, nobody known. */
    public static TransportOptions defaults() {
        return new TransportOptions(
                Duration.ofSeconds(10),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /** The same with a secret. */
    public TransportOptions withToken(String secret) {
        return new TransportOptions(connectLimit, identity, trusted, Optional.of(secret), insecure);
    }

    /** Without the secret. */
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
