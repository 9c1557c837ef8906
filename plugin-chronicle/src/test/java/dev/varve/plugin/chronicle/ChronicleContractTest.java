package dev.varve.plugin.chronicle;

import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.contracts.SnapshotStoreContract;

class ChronicleContractTest extends SnapshotStoreContract {
    @Override
    protected SnapshotStoreProvider provider() {
        return new ChronicleProvider();
    }
}
