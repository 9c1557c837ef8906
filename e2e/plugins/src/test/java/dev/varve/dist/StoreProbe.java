package dev.varve.dist;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.platform.plugin.PluginCatalog;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
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
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
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
            ClassLoader loader = behindGuard(store).getClass().getClassLoader();
            System.out.println(store.size() + " value through " + loader.getName());
            System.out.println("reports usage: " + reportsUsage(loader));
            System.out.println("sockets: " + sockets());
        }
    }

    /** The plugin's own store; the server calls it through a guard. */
    private static Object behindGuard(SnapshotStore store) throws ReflectiveOperationException {
        Object guard = Proxy.getInvocationHandler(store);
        Field target = guard.getClass().getDeclaredField("target");
        target.setAccessible(true);
        return target.get(guard);
    }

    private static boolean reportsUsage(ClassLoader loader) {
        try {
            loader.loadClass("net.openhft.chronicle.analytics.Analytics");
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
