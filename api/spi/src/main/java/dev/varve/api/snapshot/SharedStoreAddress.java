package dev.varve.api.snapshot;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Address of a shared store, and how it is used.
 *
 * @param uri such as {@code redis://host:6379/0}; its user and password must not be logged
 * @param password replaces a password in the URI
 * @param authority certificates in PEM that sign the store's certificate; empty for the ones that
 *     Java trusts
 * @param connectLimit maximum time for establishing a connection
 * @param ttl time that a value is kept after it was put or touched
 */
public record SharedStoreAddress(
        URI uri,
        Optional<String> password,
        Optional<Path> authority,
        Duration connectLimit,
        Duration ttl) {
    /** Refuses null, and times that are not positive. */
    public SharedStoreAddress {
        Objects.requireNonNull(uri);
        Objects.requireNonNull(password);
        Objects.requireNonNull(authority);
        if (!connectLimit.isPositive() || !ttl.isPositive()) {
            throw new IllegalArgumentException(
                    "connect limit and time-to-live must be positive, got "
                            + connectLimit
                            + " and "
                            + ttl);
        }
    }

    /** Returns the address for people: without user, password and options. */
    public String shown() {
        String host = uri.getHost() == null ? "" : uri.getHost();
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        String path = uri.getPath() == null ? "" : uri.getPath();
        return uri.getScheme() + "://" + host + port + path;
    }

    /** Returns the form that may be logged. */
    @Override
    public String toString() {
        return shown();
    }
}
