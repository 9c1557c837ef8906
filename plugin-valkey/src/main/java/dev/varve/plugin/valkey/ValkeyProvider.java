package dev.varve.plugin.valkey;

import dev.varve.api.plugin.IsolatedProvider;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.api.snapshot.SharedStoreProvider;

import java.util.List;

/** Stores that speak the Redis protocol, such as Valkey and Redis; over TLS as {@code rediss}. */
public final class ValkeyProvider implements SharedStoreProvider {
    private final IsolatedProvider<SharedStoreProvider> stores =
            new IsolatedProvider<>(
                    ValkeyProvider.class,
                    SharedStoreProvider.class,
                    "dev.varve.plugin.valkey.net.RespStores",
                    "shared store: cannot load its libraries");

    /** Called by the service loader. */
    public ValkeyProvider() {}

    @Override
    public List<String> schemes() {
        return List.of("redis", "rediss");
    }

    @Override
    public SharedStore open(SharedStoreAddress address) {
        return stores.get().open(address);
    }
}
