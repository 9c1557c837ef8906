package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.read;
import static dev.varve.platform.store.ArchiveFixture.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.store.ArchiveMissException.Reason;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A store whose code is wrong costs no more than a disk that fails. */
class FaultyStoreTest {
    private static final int SIZE = 2_000;

    /** Of each store, whatever its name says. */
    private static final int VALUES = 100;

    @TempDir private Path folder;

    private final Stores stores = new Stores();

    /** Sound stores, of which each method fails that the test names, and each call is counted. */
    private static final class Stores implements SnapshotStoreProvider {
        private final SnapshotStoreProvider sound = new SlotStore.Provider();
        private final List<String> calls = new ArrayList<>();
        private volatile Optional<String> failing = Optional.empty();

        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public SnapshotStore open(Path path, StoreSize size, StoreAccess access)
                throws IOException {
            StoreSize usual = new StoreSize(size.keyBytes(), size.valueBytes(), VALUES);
            SnapshotStore store = sound.open(path, usual, access);
            count("open");
            return (SnapshotStore)
                    Proxy.newProxyInstance(
                            SnapshotStore.class.getClassLoader(),
                            new Class<?>[] {SnapshotStore.class},
                            (proxy, method, arguments) -> {
                                count(method.getName());
                                if (failing.filter(method.getName()::equals).isPresent()) {
                                    throw new IllegalStateException("a fault of the store");
                                }
                                try {
                                    return method.invoke(store, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
        }

        private synchronized void count(String call) {
            calls.add(call);
        }

        private synchronized long counted(String call) {
            return calls.stream().filter(call::equals).count();
        }
    }

    private ArchiveFixture bed() {
        return new ArchiveFixture(folder.resolve("store")).with(stores);
    }

    @Test
    void storeThatFailsWritesIsSuspended() throws Exception {
        ArchiveFixture bed = bed();
        try (DiskArchive archive = bed.open()) {
            write(archive, block("a"), SIZE);

            stores.failing = Optional.of("put");
            assertEquals(WriteResult.FAILED, write(archive, block("b"), SIZE));
            stores.failing = Optional.empty();

            assertEquals(ArchiveStatus.State.PAUSED, archive.status().state());
            read(archive, block("a"), SIZE);
            bed.pass(Duration.ofMinutes(1));
            assertEquals(WriteResult.WRITTEN, write(archive, block("b"), SIZE));
        }
    }

    @Test
    void storeThatFailsReadsIsAMiss() throws Exception {
        try (DiskArchive archive = bed().open()) {
            write(archive, block("a"), SIZE);
            stores.failing = Optional.of("get");

            ArchiveMissException miss =
                    assertThrows(ArchiveMissException.class, () -> read(archive, block("a"), SIZE));

            assertEquals(Reason.UNREADABLE, miss.reason());
        }
    }

    @Test
    void storeThatFailsToCloseLeavesTheFolderUsable() throws Exception {
        stores.failing = Optional.of("close");
        try (DiskArchive archive = bed().open()) {
            write(archive, block("a"), SIZE);
        }
        stores.failing = Optional.empty();

        try (DiskArchive archive = bed().open()) {
            assertEquals(ArchiveStatus.State.OPEN, archive.status().state());
        }
    }

    /** The mark of the full generation is a folder with a file, so that no next one is begun. */
    @Test
    void openedStoresAreClosedIfWritingCannotBePrepared() throws Exception {
        try (DiskArchive archive = bed().open()) {
            write(archive, block("a"), SIZE);
        }
        Path generation = file("generation-");
        Path full = generation.resolveSibling("generation-000001-1");
        Files.move(generation, full);
        Path mark = Files.createDirectory(full.resolveSibling(full.getFileName() + ".open"));
        Files.createFile(mark.resolve("a file"));
        stores.calls.clear();

        assertThrows(DirectoryNotEmptyException.class, bed()::open);

        assertEquals(1, stores.counted("open"), "opened");
        assertEquals(1, stores.counted("close"), "closed of those");
        Files.delete(mark.resolve("a file"));
        bed().open().close();
    }

    private Path file(String begin) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(begin))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
