package dev.varve.plugin.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.StoreAccess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Whatever the disk, or somebody, does to a store's files: nobody's process ends of it. */
@Timeout(1200)
class ChronicleDamageTest {
    private static final int CASES = 300 * Math.max(1, Integer.getInteger("varve.test.soak", 1));
    private static final int SEED = 4711;

    /** Fewer than the store holds, with places that are free again in between. */
    private static final int VALUES = 60;

    @TempDir private Path folder;

    @Test
    void damagedStoreIsRefusedOrUsedAndNeverCrashesTheProcess() throws Exception {
        Path closed = folder.resolve("closed");
        Path left = folder.resolve("left");
        try (SnapshotStore store =
                new ChronicleProvider().open(closed, DamagedStores.SIZE, StoreAccess.CREATE)) {
            for (int i = 0; i < VALUES; i++) {
                store.put(DamagedStores.key(i), ByteBuffer.allocate(4096).putInt(0, i));
            }
            store.delete(DamagedStores.key(7));
            copy(closed, left);
        }

        List<String> command =
                ChildJava.command(
                        DamagedStores.class,
                        folder.toString(),
                        Integer.toString(SEED),
                        Integer.toString(CASES / 2),
                        closed.toString(),
                        left.toString());
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, child.waitFor(), () -> last() + "\n" + out);
        assertTrue(out.endsWith("all survived\n"), out);
        assertTrue(out.contains("READ used") && out.contains("RECOVER used"), out);
    }

    private String last() {
        try {
            return Files.readString(folder.resolve("last"));
        } catch (IOException e) {
            return "no case";
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }
}
