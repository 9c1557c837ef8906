package dev.varve.plugin.valkey;

import dev.varve.api.snapshot.SharedStoreAddress;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Addresses for tests. */
final class Addresses {
    private Addresses() {}

    static SharedStoreAddress of(URI uri) {
        return with(uri, Optional.empty());
    }

    static SharedStoreAddress with(URI uri, Optional<String> password) {
        return new SharedStoreAddress(
                uri, password, Optional.empty(), Duration.ofSeconds(5), Duration.ofHours(1));
    }
}
