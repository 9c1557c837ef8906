package dev.varve.platform.store;

import static dev.varve.platform.store.StoreBed.block;
import static dev.varve.platform.store.StoreBed.checkpoint;
import static dev.varve.platform.store.StoreBed.has;
import static dev.varve.platform.store.StoreBed.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Whatever happens to the files of a store: bytes are right, or missing. */
class DamagedStoreTest {
    private static final int SIZE = 5000;
    private static final int FLIPS = 10_000;
    private static final int CUTS = 1_000;

    private static final List<ObjectName> CHAIN =
            List.of(block("a"), block("a/b"), checkpoint("a/b", 7), checkpoint("a", 3));

    @TempDir private Path folder;

    private final Random random = new Random(31);

    @BeforeEach
    void fill() throws Exception {
        try (SnapshotArchive archive = bed().open()) {
            for (ObjectName name : CHAIN) {
                assertEquals(Written.WRITTEN, write(archive, name, SIZE));
            }
        }
    }

    private StoreBed bed() {
        return new StoreBed(folder.resolve("store")).budget(1 << 20);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("store"))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("lock"))
                    .sorted()
                    .toList();
        }
    }

    /** How many objects can be read; those are right. A folder may be refused as well. */
    private int readable() throws IOException {
        try (SnapshotArchive archive = bed().readOnly(true).open()) {
            return (int) CHAIN.stream().filter(name -> has(archive, name, SIZE)).count();
        } catch (dev.varve.api.VarveException e) {
            return 0;
        }
    }

    @Test
    void noFlippedBitGivesAWrongByte() throws Exception {
        List<Path> files = files();
        long all = 0;
        for (Path file : files) {
            all += Files.size(file);
        }
        int harmed = 0;
        for (int i = 0; i < FLIPS; i++) {
            long at = random.nextLong(all);
            for (Path file : files) {
                long size = Files.size(file);
                if (at < size) {
                    int bit = 1 << random.nextInt(8);
                    flip(file, at, bit);
                    harmed += readable() < CHAIN.size() ? 1 : 0;
                    flip(file, at, bit);
                    break;
                }
                at -= size;
            }
        }

        assertTrue(harmed > FLIPS / 100, harmed + " flips hit what is read");
        assertEquals(CHAIN.size(), readable());
    }

    private static void flip(Path file, long at, int bit) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int old = open.read();
            open.seek(at);
            open.write(old ^ bit);
        }
    }

    @Test
    void noTruncatedFileGivesAWrongByte() throws Exception {
        List<Path> files = files();
        for (int i = 0; i < CUTS; i++) {
            Path file = files.get(random.nextInt(files.size()));
            byte[] content = Files.readAllBytes(file);
            if (content.length == 0) {
                continue;
            }
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                open.setLength(random.nextInt(content.length));
            }
            readable();
            Files.write(file, content);
        }

        assertEquals(CHAIN.size(), readable());
    }

    @Test
    void aJournalThatEndsAnywhereIsCutAndGoesOn() throws Exception {
        Path journal =
                files().stream().filter(file -> file.endsWith("journal")).findFirst().orElseThrow();
        byte[] whole = Files.readAllBytes(journal);
        int last = 0;
        for (int length = 0; length <= whole.length; length++) {
            Files.write(journal, java.util.Arrays.copyOf(whole, length));
            int found;
            try (SnapshotArchive archive = bed().open()) {
                found = (int) CHAIN.stream().filter(name -> has(archive, name, SIZE)).count();
                for (ObjectName name : CHAIN) {
                    assertTrue(write(archive, name, SIZE).isThere(), "cut at " + length);
                }
            }
            assertTrue(found >= last || length <= Long.BYTES, "cut at " + length);
            last = found;
            assertEquals(CHAIN.size(), readable(), "cut at " + length);
        }
    }

    @Test
    void whatLiesInAStoreThatCannotBeOpenedIsWrittenAnew() throws Exception {
        Path store =
                files().stream()
                        .filter(file -> file.getFileName().toString().startsWith("generation-"))
                        .findFirst()
                        .orElseThrow();
        Files.write(store, new byte[100]);

        try (SnapshotArchive archive = bed().open()) {
            assertEquals(0, CHAIN.stream().filter(name -> has(archive, name, SIZE)).count());
            for (ObjectName name : CHAIN) {
                assertTrue(write(archive, name, SIZE).isThere());
            }
        }
        assertEquals(CHAIN.size(), readable());
    }

    @Test
    void aWriterThatWasKilledLeavesWhatItHadWritten() throws Exception {
        Path copy = folder.resolve("killed");
        try (SnapshotArchive archive = bed().open()) {
            write(archive, checkpoint("a/b", 50), SIZE);
            try (Stream<Path> files = Files.walk(folder.resolve("store"))) {
                for (Path file : files.toList()) {
                    Files.copy(file, copy.resolve(folder.resolve("store").relativize(file)));
                }
            }
        }

        try (SnapshotArchive archive = new StoreBed(copy).budget(1 << 20).open()) {
            for (ObjectName name : CHAIN) {
                assertTrue(has(archive, name, SIZE));
            }
            assertTrue(has(archive, checkpoint("a/b", 50), SIZE));
            assertTrue(write(archive, checkpoint("a/b", 60), SIZE).isThere());
        }
    }
}
