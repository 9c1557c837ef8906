package dev.varve.api.snapshot;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a shared store is, and how it is used.
 *
 * @param uri such as {@code redis://host:6379/0}; what it says of users and passwords is no text
 *     for logs
 * @param password takes the place of one in the address
 * @param authority certificates in PEM that vouch for the store's; empty for those that Java trusts
 * @param connectLimit how long a connection may take to come about
 * @param ttl how long a value is kept after it was put or touched
 */
public record SharedStoreAddress(
        URI uri,
        Optional<String> password,
        Optional<Path> authority,
        Duration connectLimit,
        Duration ttl) {
    /** Checks that nothing is missing, and that both times are positive. */
    public SharedStoreAddress {
        Objects.requireNonNull(uri);
        Objects.requireNonNull(password);
        Objects.requireNonNull(authority);
        if (!connectLimit.isPositive() || !ttl.isPositive()) {
            throw new IllegalArgumentException("times of " + connectLimit + " and " + ttl);
        }
    }

    /** The address for people: without user, password and options. */
    public String shown() {
        String host = uri.getHost() == null ? "" : uri.getHost();
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        String path = uri.getPath() == null ? "" : uri.getPath();
        return uri.getScheme() + "://" + host + port + path;
    }

    /** What may stand in a log. */
    @Override
    public String toString() {
        return shown();
    }
}
