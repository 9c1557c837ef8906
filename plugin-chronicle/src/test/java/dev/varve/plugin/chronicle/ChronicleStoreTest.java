package dev.varve.plugin.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Behavior of this store beyond the contract of all stores. */
@Timeout(60)
class ChronicleStoreTest {
    private static final StoreSize SIZE = new StoreSize(32, 256 << 10, 400);

    @TempDir private Path folder;

    private Path path() {
        return folder.resolve("store");
    }

    private SnapshotStore open(Path path, StoreAccess access) throws IOException {
        return new ChronicleProvider().open(path, SIZE, access);
    }

    private static ByteBuffer key(int number) {
        byte[] key = new byte[SIZE.keyBytes()];
        new Random(number).nextBytes(key);
        return ByteBuffer.wrap(key);
    }

    private static ByteBuffer value(int number) {
        return ByteBuffer.allocate(SIZE.valueBytes()).putInt(0, number);
    }

    @Test
    void diskUsageIsCloseToTheStoredBytes() throws Exception {
        try (SnapshotStore store = open(path(), StoreAccess.CREATE)) {
            for (int i = 0; i < 20; i++) {
                store.put(key(i), value(i));
            }

            long kibibytes = usage(path());

            assertTrue(kibibytes >= 20 * 256 && kibibytes < 22 * 256, kibibytes + " KiB");
            long bytes = Files.size(path().resolve("values"));
            assertTrue(bytes < SIZE.bytes() * 1.01, bytes + " bytes");
        }
    }

    private static long usage(Path path) throws Exception {
        Process process = new ProcessBuilder("du", "-sk", path.toString()).start();
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            return Long.parseLong(lines.readLine().split("\\s")[0]);
        }
    }

    @Test
    void filesAreReadableByTheOwnerOnly() throws IOException {
        try (SnapshotStore store = open(path(), StoreAccess.CREATE);
                Stream<Path> files = Files.list(path())) {
            assertEquals("rwx------", permissions(path()));
            for (Path file : files.toList()) {
                assertEquals("rw-------", permissions(file), file + " of " + store.size());
            }
        }
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void uncleanStoreIsRepairedBeforeOpening() throws IOException {
        Path left = folder.resolve("left");
        try (SnapshotStore store = open(path(), StoreAccess.CREATE)) {
            store.put(key(1), value(1));
            copy(path(), left);
        }

        IOException error = assertThrows(IOException.class, () -> open(left, StoreAccess.WRITE));

        assertEquals(
                left + ": the last writer did not close the store; it needs a repair",
                error.getMessage());
        open(left, StoreAccess.RECOVER).close();
        open(left, StoreAccess.WRITE).close();
    }

    /** While keys are listed the map is locked, and so is a copy of it, for good. */
    @Test
    void orphanedLockIsAnErrorAfterASecondAndRepairable() throws IOException {
        Path left = folder.resolve("left");
        try (SnapshotStore store = open(path(), StoreAccess.CREATE)) {
            store.put(key(1), value(1));
        }
        try (SnapshotStore reader = open(path(), StoreAccess.READ)) {
            reader.keys(key -> copyUnchecked(path(), left));
        }

        try (SnapshotStore store = open(left, StoreAccess.WRITE)) {
            long start = System.nanoTime();
            IOException error = assertThrows(IOException.class, () -> store.put(key(2), value(2)));
            Duration taken = Duration.ofNanos(System.nanoTime() - start);

            assertTrue(error.getMessage().startsWith(left.toString()), error.getMessage());
            // A busy machine takes longer than the second; the library by itself would wait a
            // minute.
            assertTrue(taken.compareTo(Duration.ofSeconds(50)) < 0, taken.toString());
        }
        try (SnapshotStore store = open(left, StoreAccess.RECOVER)) {
            assertTrue(store.put(key(2), value(2)));
            assertTrue(store.get(key(1), ByteBuffer.allocate(1)));
        }
    }

    /** A reader keeps Chronicle Map from mending, which it notices when it has begun. */
    @Test
    void interruptedRepairCanBeRepeated() throws IOException {
        try (SnapshotStore store = open(path(), StoreAccess.CREATE)) {
            store.put(key(1), value(1));
        }
        try (SnapshotStore reader = open(path(), StoreAccess.READ)) {
            assertThrows(IOException.class, () -> open(path(), StoreAccess.RECOVER));
            assertTrue(reader.get(key(1), ByteBuffer.allocate(1)));
        }

        for (StoreAccess access : List.of(StoreAccess.READ, StoreAccess.WRITE)) {
            IOException error = assertThrows(IOException.class, () -> open(path(), access));
            assertTrue(error.getMessage().startsWith(path().toString()), error.getMessage());
        }
        try (SnapshotStore store = open(path(), StoreAccess.RECOVER)) {
            assertTrue(store.get(key(1), ByteBuffer.allocate(1)));
        }
        open(path(), StoreAccess.WRITE).close();
    }

    @Test
    void mapDamagedAtItsStartIsRefused() throws IOException {
        byte[] random = new byte[2000];
        new Random(4711).nextBytes(random);
        for (byte[] damage : List.of(new byte[2000], random, new byte[] {1})) {
            for (StoreAccess access :
                    List.of(StoreAccess.READ, StoreAccess.WRITE, StoreAccess.RECOVER)) {
                Path damaged = Files.createTempDirectory(folder, "damaged").resolve("store");
                open(damaged, StoreAccess.CREATE).close();
                try (RandomAccessFile file =
                        new RandomAccessFile(damaged.resolve("values").toFile(), "rw")) {
                    file.seek(damage.length == 1 ? 9 : 0);
                    file.write(damage);
                }

                IOException error =
                        assertThrows(
                                IOException.class, () -> open(damaged, access), access.toString());

                assertTrue(error.getMessage().startsWith(damaged.toString()), error.getMessage());
            }
        }
    }

    @Test
    void mapChangedSinceItsCloseIsRefused() throws IOException {
        open(path(), StoreAccess.CREATE).close();
        long header = 4096;
        for (long position : List.of(header + 8, header + 100, header + 1000)) {
            flip(position);
            for (StoreAccess access : List.of(StoreAccess.READ, StoreAccess.WRITE)) {
                IOException error =
                        assertThrows(IOException.class, () -> open(path(), access), "" + position);
                assertTrue(error.getMessage().startsWith(path().toString()), error.getMessage());
            }
            flip(position);
        }
        open(path(), StoreAccess.WRITE).close();
    }

    private void flip(long position) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(path().resolve("values").toFile(), "rw")) {
            file.seek(position);
            int found = file.read();
            file.seek(position);
            file.write(found ^ 1);
        }
    }

    @Test
    void readersOpenDuringAnyWrite() throws Exception {
        open(path(), StoreAccess.CREATE).close();
        AtomicBoolean done = new AtomicBoolean();
        FutureTask<Integer> writer = new FutureTask<>(() -> write(done));
        Thread.ofPlatform().start(writer);
        try {
            for (int i = 0; i < 300; i++) {
                try (SnapshotStore reader = open(path(), StoreAccess.READ)) {
                    reader.keys(key -> {});
                    reader.get(key(i % 10), ByteBuffer.allocate(1));
                }
            }
        } finally {
            done.set(true);
        }
        assertTrue(writer.get() > 0);
    }

    /** Opens, changes and closes the store again and again. */
    private int write(AtomicBoolean done) throws IOException {
        int times = 0;
        while (!done.get()) {
            try (SnapshotStore store = open(path(), StoreAccess.WRITE)) {
                for (int i = 0; i < 10; i++) {
                    store.put(key(i), value(i));
                    store.delete(key((i + times) % 10));
                }
            }
            times++;
        }
        return times;
    }

    @Test
    void interruptedThreadContinuesAndStaysInterrupted() throws IOException {
        try (SnapshotStore store = open(path(), StoreAccess.CREATE)) {
            Thread.currentThread().interrupt();
            for (int i = 0; i < 10; i++) {
                assertTrue(store.put(key(i), value(i)));
                assertTrue(store.get(key(i), ByteBuffer.allocate(8)));
            }
            assertTrue(store.delete(key(5)));

            assertTrue(Thread.interrupted());
            assertFalse(store.get(key(5), ByteBuffer.allocate(1)));
            Thread.currentThread().interrupt();
        }
        assertTrue(Thread.interrupted());
        open(path(), StoreAccess.WRITE).close();
    }

    /** In a process of its own, which a full disk would end where memory is written to. */
    @Test
    void fullDiskIsAnErrorOfPutOnly() throws Exception {
        List<String> isolated = List.of("unshare", "--user", "--map-root-user", "--mount");
        String mount = "mount -t tmpfs -o size=64m none \"$0\"";
        assumeTrue(
                run(isolated, List.of("sh", "-c", mount, folder.toString())).status() == 0,
                "no file system of a given size can be made here");
        List<String> command = new ArrayList<>();
        command.addAll(List.of("sh", "-c", mount + " && exec \"$@\"", folder.toString()));
        command.addAll(ChildJava.command(FullDisk.class, path().toString()));

        Outcome outcome = run(isolated, command);

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(
                outcome.out().matches("(?s).*: no disk space for \\d+ more bytes.*"), "" + outcome);
        assertTrue(outcome.out().endsWith("all there, room again after a delete\n"), "" + outcome);
    }

    private record Outcome(int status, String out) {}

    private static Outcome run(List<String> wrapper, List<String> command) throws Exception {
        List<String> all = new ArrayList<>(wrapper);
        all.addAll(command);
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), out);
    }

    /** Fills its disk of 64 MiB; argument: the store. */
    static final class FullDisk {
        private static final StoreSize HALF = new StoreSize(32, 256 << 10, 128);
        private static final int OTHERS = 44 << 20;

        private FullDisk() {}

        public static void main(String[] arguments) throws IOException {
            Path path = Path.of(arguments[0]);
            try (SnapshotStore store =
                    new ChronicleProvider().open(path, HALF, StoreAccess.CREATE)) {
                Files.write(path.resolveSibling("others"), new byte[OTHERS]);
                int values = 0;
                try {
                    while (store.put(key(values), value(values))) {
                        values++;
                    }
                } catch (IOException e) {
                    System.out.println(e.getMessage());
                }
                for (int i = 0; i < values; i++) {
                    ByteBuffer target = ByteBuffer.allocate(SIZE.valueBytes());
                    if (!store.get(key(i), target) || target.getInt(0) != i) {
                        throw new IOException("value " + i + " of " + values + " is gone");
                    }
                }
                if (values < 50 || !store.delete(key(3)) || !store.put(key(3), value(3))) {
                    throw new IOException("no room after a delete, " + values + " values");
                }
            }
            new ChronicleProvider().open(path, HALF, StoreAccess.RECOVER).close();
            System.out.println("all there, room again after a delete");
        }
    }

    private static void copyUnchecked(Path from, Path to) {
        try {
            copy(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
