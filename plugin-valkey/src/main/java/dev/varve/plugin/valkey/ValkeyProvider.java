package dev.varve.plugin.valkey;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.api.snapshot.SharedStoreProvider;

import java.util.List;
import java.util.Optional;

/** Stores that speak the Redis protocol, such as Valkey and Redis; over TLS as {@code rediss}. */
public final class ValkeyProvider implements SharedStoreProvider {
    private Optional<SharedStoreProvider> loaded = Optional.empty();

    /** Called by the service loader. */
    public ValkeyProvider() {}

    /** Loads the libraries at the first call, which takes a few hundred milliseconds. */
    private synchronized SharedStoreProvider loaded() {
        if (loaded.isEmpty()) {
            loaded = Optional.of(Libraries.load("dev.varve.plugin.valkey.net.RespStores"));
        }
        return loaded.get();
    }

    @Override
    public List<String> schemes() {
        return List.of("redis", "rediss");
    }

    @Override
    public SharedStore open(SharedStoreAddress address) {
        return loaded().open(address);
    }
}
