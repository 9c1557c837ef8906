package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.checkpoint;
import static dev.varve.platform.store.ArchiveFixture.features;
import static dev.varve.platform.store.ArchiveFixture.has;
import static dev.varve.platform.store.ArchiveFixture.key;
import static dev.varve.platform.store.ArchiveFixture.read;
import static dev.varve.platform.store.ArchiveFixture.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.store.ArchiveMissException.Reason;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Objects that were written are there, now and after a restart, or a miss. */
class DiskArchiveTest {
    private static final int SIZE = 20_000;

    @TempDir private Path folder;

    private ArchiveFixture bed() {
        return new ArchiveFixture(folder.resolve("store"));
    }

    private static final List<ObjectDescriptor> CHAIN =
            List.of(
                    block("a"),
                    checkpoint("a", 0),
                    block("a/b"),
                    block("a/c"),
                    checkpoint("a/b", 7),
                    checkpoint("", 9));

    private Path file(String name) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("store"))) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    private static void writeAll(DiskArchive archive) {
        for (ObjectDescriptor name : CHAIN) {
            assertEquals(WriteResult.WRITTEN, write(archive, name, SIZE));
        }
    }

    @Test
    void writtenObjectIsFoundNowAndLater() throws Exception {
        ArchiveFixture bed = bed();
        try (DiskArchive archive = bed.open()) {
            writeAll(archive);
            for (ObjectDescriptor name : CHAIN) {
                read(archive, name, SIZE);
                assertEquals(WriteResult.KNOWN, write(archive, name, SIZE));
            }
        }

        try (DiskArchive archive = bed.open()) {
            for (ObjectDescriptor name : CHAIN) {
                read(archive, name, SIZE);
            }
            assertEquals(
                    List.of(checkpoint("a/b", 7)),
                    archive.checkpoints(key("a/b")).stream().map(StoredObjectInfo::name).toList());
            assertEquals(CHAIN.size(), archive.status().objects());
        }
    }

    @Test
    void objectWithoutItsPredecessorIsNotFound() throws Exception {
        try (DiskArchive archive = bed().open()) {
            assertEquals(WriteResult.NO_SPACE, write(archive, checkpoint("x", 3), SIZE));
            assertEquals(WriteResult.NO_SPACE, write(archive, block("x/y"), SIZE));
            assertEquals(0, archive.status().objects());
        }
    }

    @Test
    void missHasAReason() throws Exception {
        try (DiskArchive archive = bed().open()) {
            writeAll(archive);
            ArchiveMissException absent =
                    assertThrows(ArchiveMissException.class, () -> read(archive, block("z"), SIZE));
            ArchiveMissException other =
                    assertThrows(
                            ArchiveMissException.class, () -> archive.read(key("a"), refusing()));

            assertEquals(Reason.ABSENT, absent.reason());
            assertEquals(Reason.MISMATCH, other.reason());
            read(archive, block("a"), SIZE);
            assertEquals(1, archive.status().traffic().misses().get(Reason.MISMATCH));
        }
    }

    private static ObjectTarget refusing() {
        return new ObjectTarget() {
            @Override
            public boolean accept(ByteBuffer header, long bytes) {
                return false;
            }

            @Override
            public void write(long offset, ByteBuffer bytes) {
                throw new AssertionError("it was refused");
            }
        };
    }

    @Test
    void encryptedObjectsAreReadWithTheirKeyOnly() throws Exception {
        Path one = Files.write(folder.resolve("one"), ArchiveFixture.digest("one"));
        Path hex =
                Files.writeString(
                        folder.resolve("hex"),
                        HexFormat.of().formatHex(ArchiveFixture.digest("one")) + "\n");
        Path two = Files.write(folder.resolve("two"), ArchiveFixture.digest("two"));
        try (DiskArchive archive = bed().cipher(one).open()) {
            writeAll(archive);
        }

        try (DiskArchive archive = bed().cipher(hex).open()) {
            read(archive, block("a"), SIZE);
        }
        VarveException wrong = assertThrows(VarveException.class, () -> bed().cipher(two).open());
        assertTrue(wrong.getMessage().contains("another key"), wrong.getMessage());
        assertThrows(VarveException.class, () -> bed().open());
        assertFalse(filesContain(ArchiveFixture.payload(block("a"), SIZE)));
    }

    private boolean filesContain(byte[] bytes) throws IOException {
        String piece = HexFormat.of().formatHex(bytes, 0, 16);
        try (Stream<Path> files = Files.walk(folder.resolve("store"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (HexFormat.of().formatHex(Files.readAllBytes(file)).contains(piece)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void unencryptedObjectsAreStoredAsTheyAre() throws Exception {
        try (DiskArchive archive = bed().open()) {
            writeAll(archive);
        }

        assertTrue(filesContain(ArchiveFixture.payload(block("a"), SIZE)));
    }

    @Test
    void fileWithoutAKeyIsRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("key"), "secret");

        VarveException refused = assertThrows(VarveException.class, () -> ChunkCipher.of(file));
        assertTrue(refused.getMessage().contains("32 bytes"), refused.getMessage());
        assertFalse(refused.getMessage().contains("secret"), refused.getMessage());
    }

    @Test
    void oneProcessWritesAndOthersRead() throws Exception {
        try (DiskArchive writer = bed().open()) {
            write(writer, block("a"), SIZE);
            VarveException second = assertThrows(VarveException.class, () -> bed().open());
            assertTrue(
                    second.getMessage().contains("process " + ProcessHandle.current().pid()),
                    second.getMessage());

            ArchiveFixture reading = bed().readOnly(true);
            try (DiskArchive reader = reading.open()) {
                read(reader, block("a"), SIZE);
                assertEquals(WriteResult.NO_SPACE, write(reader, block("q"), SIZE));
                write(writer, checkpoint("a", 0), SIZE);
                reading.pass(Duration.ofSeconds(2));
                reader.follow();
                assertTrue(reader.find(checkpoint("a", 0).key()).isPresent());
                assertEquals(ArchiveStatus.State.READ_ONLY, reader.status().state());
            }
        }
    }

    @Test
    void readersSeeLaterObjects() throws Exception {
        ArchiveFixture reading = bed().readOnly(true);
        try (DiskArchive reader = reading.open()) {
            reader.follow();
            assertTrue(reader.find(block("a").key()).isEmpty());
            try (DiskArchive writer = bed().open()) {
                write(writer, block("a"), SIZE);
                reader.follow();
                read(reader, block("a"), SIZE);
                for (int i = 0; i < 1000; i++) {
                    writer.use(block("a").key());
                }
            }
            // Of that, a writer that starts keeps one line, in a file of its own.
            try (DiskArchive writer = bed().open()) {
                write(writer, block("a/b"), SIZE);
                reader.follow();
                read(reader, block("a"), SIZE);
                read(reader, block("a/b"), SIZE);
                assertEquals(2, reader.status().objects());
            }
            PrivateFiles.delete(folder.resolve("store"));
            reader.follow();
            assertTrue(reader.find(block("a").key()).isEmpty());
        }
    }

    @Test
    void readerWaitsForAJournalThatIsBeingCreated() throws Exception {
        byte[] whole;
        try (DiskArchive writer = bed().open()) {
            write(writer, block("a"), SIZE);
        }
        Path journal = file("journal");
        whole = Files.readAllBytes(journal);
        Files.write(journal, new byte[0]);
        try (DiskArchive reader = bed().readOnly(true).open()) {
            assertTrue(reader.find(block("a").key()).isEmpty());
            Files.write(journal, whole);
            reader.follow();
            read(reader, block("a"), SIZE);
        }
    }

    @Test
    void readingAnEmptyFolderCreatesNothing() throws Exception {
        try (DiskArchive reader = bed().readOnly(true).open()) {
            assertTrue(reader.find(key("a")).isEmpty());
        }

        assertFalse(Files.exists(folder.resolve("store")));
    }

    @Test
    void expiredObjectIsNotFound() throws Exception {
        ArchiveFixture bed = bed().ttl(Duration.ofHours(2));
        try (DiskArchive archive = bed.open()) {
            writeAll(archive);
            bed.pass(Duration.ofHours(1));
            archive.use(checkpoint("a/b", 7).key());
            bed.pass(Duration.ofMinutes(90));

            assertTrue(archive.find(checkpoint("", 9).key()).isEmpty());
            assertTrue(archive.find(key("a")).isPresent());
            assertTrue(archive.find(checkpoint("a/b", 7).key()).isPresent());
        }
        try (DiskArchive archive = bed.open()) {
            assertEquals(1, archive.find(checkpoint("a/b", 7).key()).orElseThrow().uses());
            assertTrue(archive.find(checkpoint("", 9).key()).isEmpty());
        }
    }

    /** They are no entries, and are found as long as what they belong to. */
    @Test
    void hiddenStatesAreStoredWithTheirPrefix() throws Exception {
        ArchiveFixture bed = bed().ttl(Duration.ofHours(2));
        ObjectDescriptor block = block("a/b");
        ObjectDescriptor used = checkpoint("a/b", 7);
        ObjectDescriptor unused = checkpoint("", 9);
        try (DiskArchive archive = bed.open()) {
            writeAll(archive);
            int entries = archive.status().checkpoints();
            for (ObjectDescriptor each : List.of(block, used, unused)) {
                assertTrue(write(archive, features(each), SIZE).isStored());
            }
            assertEquals(entries, archive.status().checkpoints());
            assertEquals(1, archive.checkpoints(key("a/b")).size());
            bed.pass(Duration.ofHours(1));
            archive.use(used.key());
        }
        bed.pass(Duration.ofMinutes(90));
        try (DiskArchive archive = bed.open()) {
            assertTrue(archive.find(features(block).key()).isPresent());
            assertTrue(archive.find(features(used).key()).isPresent());
            assertTrue(archive.find(features(unused).key()).isEmpty());
            assertEquals(0, archive.find(features(used).key()).orElseThrow().uses());
        }
    }

    @Test
    void clockSetBackCausesNoHarm() throws Exception {
        ArchiveFixture bed = bed().ttl(Duration.ofHours(2)).budget(400_000);
        try (DiskArchive archive = bed.open()) {
            writeAll(archive);
            bed.pass(Duration.ofDays(-400));
            archive.use(key("a"));
            for (int i = 0; i < 60; i++) {
                assertTrue(write(archive, block("n" + i), SIZE).isStored());
            }
            assertTrue(archive.status().usedBytes() <= 400_000);
        }
    }

    @Test
    void otherFormatIsMovedAsideAndNewerFoldersAreRefused() throws Exception {
        try (DiskArchive archive = bed().open()) {
            writeAll(archive);
        }
        Path namespace = file("namespace.json");
        Files.writeString(
                namespace, Files.readString(namespace).replace("\"format\" : 1", "\"format\" : 0"));
        try (DiskArchive archive = bed().open()) {
            assertEquals(0, archive.status().objects());
            writeAll(archive);
        }

        Files.writeString(folder.resolve("store/varve-cache.json"), "{\"format\": 2}");
        VarveException newer = assertThrows(VarveException.class, () -> bed().open());
        assertTrue(newer.getMessage().contains("expected format 1, found 2"), newer.getMessage());
    }

    @Test
    void filesAreReadableByTheOwnerOnly() throws Exception {
        try (DiskArchive archive = bed().open()) {
            writeAll(archive);
            try (Stream<Path> files = Files.walk(folder.resolve("store"))) {
                for (Path file : files.toList()) {
                    boolean own =
                            !file.getFileName().toString().startsWith("generation-")
                                    || file.toString().endsWith(".open");
                    if (own) {
                        assertEquals(
                                Files.isDirectory(file) ? "rwx------" : "rw-------",
                                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                                file.toString());
                    }
                }
            }
        }
    }

    @Test
    void failingDiskIsSuspended() throws Exception {
        FailingStores stores = new FailingStores();
        ArchiveFixture bed = bed().with(stores);
        try (DiskArchive archive = bed.open()) {
            write(archive, block("a"), SIZE);
            stores.fails = true;
            assertEquals(WriteResult.FAILED, write(archive, block("b"), SIZE));
            stores.fails = false;
            assertEquals(WriteResult.NO_SPACE, write(archive, block("b"), SIZE));
            assertEquals(ArchiveStatus.State.PAUSED, archive.status().state());
            read(archive, block("a"), SIZE);

            bed.pass(Duration.ofMinutes(1));
            assertEquals(WriteResult.WRITTEN, write(archive, block("b"), SIZE));
            stores.fails = true;
            ArchiveMissException miss =
                    assertThrows(ArchiveMissException.class, () -> read(archive, block("a"), SIZE));
            assertEquals(Reason.UNREADABLE, miss.reason());
            stores.fails = false;
            read(archive, block("a"), SIZE);
        }
    }

    @Test
    void fullDiskIsNotWritten() throws Exception {
        ArchiveFixture bed = bed().reserve(Long.MAX_VALUE / 2);
        try (DiskArchive archive = bed.open()) {
            assertEquals(WriteResult.NO_SPACE, write(archive, block("a"), SIZE));
            assertEquals(ArchiveStatus.State.PAUSED, archive.status().state());
        }
    }

    @Test
    void deletedFolderIsAMiss() throws Exception {
        ArchiveFixture bed = bed().budget(400_000);
        try (DiskArchive archive = bed.open()) {
            writeAll(archive);
            PrivateFiles.delete(folder.resolve("store"));
            for (int i = 0; i < 100; i++) {
                write(archive, block("n" + i), SIZE);
                has(archive, block("n" + i), SIZE);
            }
        }
        try (DiskArchive archive = bed.open()) {
            assertEquals(0, archive.status().objects());
        }
    }

    @Test
    void failedClearOfADeletedFolderIsReported() throws Exception {
        try (DiskArchive archive = bed().open()) {
            writeAll(archive);
            PrivateFiles.delete(folder.resolve("store"));

            VarveException failure = assertThrows(VarveException.class, archive::clear);

            assertTrue(
                    failure.getMessage().contains(folder.resolve("store") + " does not exist"),
                    failure.getMessage());
            assertEquals(0, archive.status().objects());
        }
    }

    @Test
    void clearedObjectsAreNotFound() throws Exception {
        try (DiskArchive archive = bed().open()) {
            writeAll(archive);
            archive.clear();
            assertEquals(0, archive.status().objects());
            writeAll(archive);
        }
        try (DiskArchive archive = bed().open()) {
            read(archive, checkpoint("a/b", 7), SIZE);
            archive.clear();
        }
        try (DiskArchive archive = bed().open()) {
            assertEquals(0, archive.status().objects());
        }
    }

    @Test
    void diskUsageIsCloseToTheWrittenBytes() throws Exception {
        int block = 3 << 20;
        try (DiskArchive archive = bed().blocks(block).budget(1L << 30).open()) {
            long payload = 0;
            for (String path : List.of("a", "a/b", "a/b/c", "a/b/c/d")) {
                write(archive, block(path), block);
                payload += block;
            }
            write(archive, checkpoint("a/b/c/d", 5), 5 * block + 12_345);
            payload += 5 * block + 12_345;

            assertTrue(
                    archive.status().usedBytes() < 1.03 * payload,
                    archive.status().usedBytes() + " for " + payload);
        }
    }

    /** Stores whose disk fails when the test says so. */
    private static final class FailingStores implements SnapshotStoreProvider {
        private final SnapshotStoreProvider sound = new SlotStore.Provider();
        private volatile boolean fails;

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public SnapshotStore open(Path path, StoreSize size, StoreAccess access)
                throws IOException {
            SnapshotStore store = sound.open(path, size, access);
            return new SnapshotStore() {
                private void check() throws IOException {
                    if (fails) {
                        throw new IOException("input/output error");
                    }
                }

                @Override
                public boolean put(ByteBuffer key, ByteBuffer value) throws IOException {
                    check();
                    return store.put(key, value);
                }

                @Override
                public boolean get(ByteBuffer key, ByteBuffer target) throws IOException {
                    check();
                    return store.get(key, target);
                }

                @Override
                public boolean delete(ByteBuffer key) throws IOException {
                    check();
                    return store.delete(key);
                }

                @Override
                public void keys(Consumer<ByteBuffer> consumer) throws IOException {
                    check();
                    store.keys(consumer);
                }

                @Override
                public long size() {
                    return store.size();
                }

                @Override
                public void close() throws IOException {
                    store.close();
                }
            };
        }
    }
}
