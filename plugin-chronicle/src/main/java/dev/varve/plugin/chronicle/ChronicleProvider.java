package dev.varve.plugin.chronicle;

import dev.varve.api.VarveException;
import dev.varve.api.plugin.IsolatedProvider;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Stores named {@code chronicle}: folders, each with a file of Chronicle Map. */
public final class ChronicleProvider implements SnapshotStoreProvider {
    /**
     * The libraries log greetings, warnings about parts that are left out on purpose, and
     * exceptions that they also throw. The reference keeps the logger's level from being lost.
     */
    private static final Logger THEIR_LOG = Logger.getLogger("net.openhft");

    /**
     * The libraries cannot be modules: some share packages, and they access Java's internals, which
     * the options open to unnamed modules only.
     */
    private final IsolatedProvider<SnapshotStoreProvider> stores =
            new IsolatedProvider<>(
                            ChronicleProvider.class,
                            SnapshotStoreProvider.class,
                            "dev.varve.plugin.chronicle.map.ChronicleStores",
                            "cannot load the libraries of store chronicle")
                    .withUnsafe("META-INF/generated/");

    /** Called by the service loader. */
    public ChronicleProvider() {}

    @Override
    public String name() {
        return "chronicle";
    }

    @Override
    public SnapshotStore open(Path path, StoreSize size, StoreAccess access) throws IOException {
        THEIR_LOG.setLevel(Level.OFF);
        JavaOptions.require();
        try {
            return stores.get().open(path, size, access);
        } catch (VarveException e) {
            throw new IOException(e.getMessage(), e);
        } catch (LinkageError e) {
            throw new IOException(
                    path + ": the libraries of store chronicle do not run on this machine: " + e,
                    e);
        }
    }
}
