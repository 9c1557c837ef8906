package dev.varve.contracts;

import dev.varve.api.snapshot.SnapshotStoreProvider;

/** Anybody can bring a store: one of a page passes. */
class SlotContractTest extends SnapshotStoreContract {
    @Override
    protected SnapshotStoreProvider provider() {
        return new SlotStore.Provider();
    }
}
