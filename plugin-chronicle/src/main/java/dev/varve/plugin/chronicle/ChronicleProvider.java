package dev.varve.plugin.chronicle;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Stores named {@code chronicle}: folders, each with a file of Chronicle Map. */
public final class ChronicleProvider implements SnapshotStoreProvider {
    private Optional<SnapshotStoreProvider> loaded = Optional.empty();

    /** Called by the service loader. */
    public ChronicleProvider() {}

    /** Loads the libraries at the first call, which takes a few hundred milliseconds. */
    private synchronized SnapshotStoreProvider loaded() throws IOException {
        if (loaded.isEmpty()) {
            loaded = Optional.of(Libraries.load("dev.varve.plugin.chronicle.map.ChronicleStores"));
        }
        return loaded.get();
    }

    @Override
    public String name() {
        return "chronicle";
    }

    @Override
    public SnapshotStore open(Path path, StoreSize size, StoreAccess access) throws IOException {
        try {
            return loaded().open(path, size, access);
        } catch (LinkageError e) {
            throw new IOException(
                    path + ": the libraries of store chronicle do not run here: " + e, e);
        }
    }
}
