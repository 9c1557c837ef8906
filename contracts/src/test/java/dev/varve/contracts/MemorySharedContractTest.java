package dev.varve.contracts;

import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.api.snapshot.SharedStoreProvider;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

class MemorySharedContractTest extends SharedStoreContract {
    @Override
    protected SharedStoreProvider provider() {
        return new MemorySharedStore.Provider();
    }

    @Override
    protected SharedStoreAddress address() {
        return new SharedStoreAddress(
                URI.create("memory://contract"),
                Optional.empty(),
                Optional.empty(),
                Duration.ofSeconds(1),
                Duration.ofHours(1));
    }
}
