package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.checkpoint;
import static dev.varve.platform.store.ArchiveFixture.has;
import static dev.varve.platform.store.ArchiveFixture.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The state of an archive after some of its files are gone, damaged or begun anew. */
@Timeout(60)
class StoreFilesTest {
    private static final int SIZE = 3000;

    @TempDir private Path folder;

    private ArchiveFixture bed;

    @BeforeEach
    void leaveSomeObjects() throws IOException {
        bed = new ArchiveFixture(folder);
        try (DiskArchive archive = bed.open()) {
            write(archive, block("a"), SIZE);
            write(archive, checkpoint("a", 5), SIZE);
        }
    }

    private List<Path> files(String name) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(name)).toList();
        }
    }

    private Path store() throws IOException {
        return files("generation-\\d+-\\d+").getFirst();
    }

    private Path journal() throws IOException {
        return files("journal").getFirst();
    }

    /** Its first bytes say what it is. */
    private void damageTheStore() throws IOException {
        byte[] bytes = Files.readAllBytes(store());
        bytes[0] ^= 1;
        Files.write(store(), bytes);
    }

    @Test
    void unreadableStoreIsLeftAndAnotherOneIsWritten() throws IOException {
        damageTheStore();
        try (DiskArchive archive = bed.open()) {
            Await.until("it is given up", () -> archive.find(block("a").key()).isEmpty());
            assertTrue(archive.find(checkpoint("a", 5).key()).isEmpty());

            assertEquals(WriteResult.WRITTEN, write(archive, block("b"), SIZE));
            assertTrue(has(archive, block("b"), SIZE));
        }
        // Closed in order: what fails may be this process, so that it stays for the next one.
        assertEquals(2, files("generation-\\d+-\\d+").size());
        try (DiskArchive archive = bed.open()) {
            assertTrue(has(archive, block("b"), SIZE));
        }
    }

    @Test
    void unreadableHalfWrittenStoreIsDeleted() throws IOException {
        Path store = store();
        damageTheStore();
        Files.createFile(store.resolveSibling(store.getFileName() + ".open"));
        try (DiskArchive archive = bed.open()) {
            Await.until("it is deleted", () -> !Files.exists(store));
            assertTrue(archive.find(block("a").key()).isEmpty());
            assertEquals(WriteResult.WRITTEN, write(archive, block("a"), SIZE));
        }
        try (DiskArchive archive = bed.open()) {
            assertTrue(has(archive, block("a"), SIZE));
            assertFalse(has(archive, checkpoint("a", 5), SIZE));
        }
    }

    @Test
    void readerSkipsAnUnreadableStore() throws IOException {
        damageTheStore();
        try (DiskArchive reader = bed.readOnly(true).open()) {
            Await.until("it is given up", () -> reader.find(block("a").key()).isEmpty());
        }
        assertTrue(Files.exists(store()));
    }

    @Test
    void objectsOfADeletedStoreAreUnknown() throws IOException {
        Files.delete(store());
        try (DiskArchive archive = bed.open()) {
            assertTrue(archive.find(block("a").key()).isEmpty());
            assertEquals(WriteResult.WRITTEN, write(archive, block("a"), SIZE));
            assertTrue(has(archive, block("a"), SIZE));
        }
    }

    @Test
    void objectsAreRecoveredWithoutTheJournal() throws IOException {
        Path rebuilding = journal().resolveSibling("rebuild");
        Files.delete(journal());
        try (DiskArchive archive = bed.open()) {
            Await.until("they are found", () -> has(archive, checkpoint("a", 5), SIZE));
            assertTrue(has(archive, block("a"), SIZE));
            Await.until("that is over", () -> !Files.exists(rebuilding));
        }
        try (DiskArchive archive = bed.open()) {
            assertTrue(has(archive, checkpoint("a", 5), SIZE), "it is written down");
        }
    }

    @Test
    void interruptedRecoveryIsRepeated() throws IOException {
        byte[] whole = Files.readAllBytes(journal());
        Files.write(journal(), Arrays.copyOf(whole, Long.BYTES));
        Files.createFile(journal().resolveSibling("rebuild"));
        try (DiskArchive archive = bed.open()) {
            Await.until("they are found", () -> has(archive, checkpoint("a", 5), SIZE));
        }
    }

    @Test
    void longJournalIsCompacted() throws IOException {
        try (DiskArchive archive = bed.open()) {
            for (int i = 0; i < 300; i++) {
                archive.use(checkpoint("a", 5).key());
            }
        }
        long before = Files.size(journal());
        try (DiskArchive archive = bed.open()) {
            assertTrue(Files.size(journal()) < before / 10, Files.size(journal()) + " bytes");
            assertTrue(has(archive, checkpoint("a", 5), SIZE));
            assertEquals(300, archive.find(checkpoint("a", 5).key()).orElseThrow().uses());
        }
        long after = Files.size(journal());
        bed.open().close();
        assertEquals(after, Files.size(journal()), "a short one stays");
    }

    @Test
    void clearingDeletesTheStoresAndNotifiesReaders() throws IOException {
        try (DiskArchive archive = bed.open();
                DiskArchive reader = bed.readOnly(true).open()) {
            assertTrue(has(reader, block("a"), SIZE));

            archive.clear();

            assertEquals(List.of(), files("generation-.*"));
            Await.until("a reader hears of it", () -> reader.find(block("a").key()).isEmpty());
            assertEquals(WriteResult.WRITTEN, write(archive, block("a"), SIZE));
            assertTrue(has(archive, block("a"), SIZE));
        }
        try (DiskArchive archive = bed.readOnly(false).open()) {
            assertTrue(has(archive, block("a"), SIZE));
            assertFalse(has(archive, checkpoint("a", 5), SIZE));
        }
    }

    @Test
    void storeNamesContainNumberAndSize() {
        assertEquals(
                new StoreSegment.Id(7, 1000),
                StoreSegment.Id.of(Path.of("generation-000007-1000")).orElseThrow());
        assertEquals("generation-000007-1000", new StoreSegment.Id(7, 1000).toString());
        assertEquals(1, StoreSegment.Id.of(Path.of("generation-000007-0")).orElseThrow().values());
        for (String other :
                List.of(
                        "journal",
                        "generation-000007-1000.open",
                        "generation-7",
                        "generation-a-1")) {
            assertTrue(StoreSegment.Id.of(Path.of(other)).isEmpty(), other);
        }
    }
}
