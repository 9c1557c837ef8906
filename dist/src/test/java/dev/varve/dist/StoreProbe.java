package dev.varve.dist;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.platform.plugin.PluginCatalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Runs on the modules of an installation, and keeps a value in a store of a plugin. */
final class StoreProbe {
    private static final StoreSize SIZE = new StoreSize(32, 1000, 10);

    private StoreProbe() {}

    /** Arguments: the plugins folder, where the store is to be. */
    public static void main(String[] arguments) throws IOException {
        SnapshotStoreProvider provider =
                PluginCatalog.discover(Path.of(arguments[0])).store("chronicle");
        Path path = Path.of(arguments[1]);
        try (SnapshotStore store = provider.open(path, SIZE, StoreAccess.CREATE)) {
            store.put(ByteBuffer.allocate(32), ByteBuffer.allocateDirect(1000));
        } catch (IOException e) {
            System.out.println("refused: " + e.getMessage());
            return;
        }
        try (SnapshotStore store = provider.open(path, SIZE, StoreAccess.RECOVER)) {
            System.out.println(
                    store.size() + " value through " + store.getClass().getClassLoader().getName());
            System.out.println("reports usage: " + reportsUsage(store));
            System.out.println("sockets: " + sockets());
        }
    }

    private static boolean reportsUsage(SnapshotStore store) {
        try {
            store.getClass()
                    .getClassLoader()
                    .loadClass("net.openhft.chronicle.analytics.Analytics");
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Set<String> sockets() throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            for (Path file : files.toList()) {
                if (Files.isSymbolicLink(file)) {
                    String target = Files.readSymbolicLink(file).toString();
                    if (target.startsWith("socket:")) {
                        found.add(target);
                    }
                }
            }
        }
        return found;
    }
}
