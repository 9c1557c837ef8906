package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A journal hands out what was written whole, once, and begins anew where it is damaged. */
class JournalTest {
    private static final JournalEntry ADDED = new JournalEntry.Added(block("a"), 100, 3, 1, 50);
    private static final JournalEntry USED = new JournalEntry.Used(block("a").key(), 2, 60);
    private static final JournalEntry GONE = new JournalEntry.Gone(1);

    @TempDir private Path folder;

    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("journal");
    }

    private static List<JournalEntry> replayed(Journal journal) throws IOException {
        List<JournalEntry> entries = new ArrayList<>();
        journal.replay(entries::add);
        return entries;
    }

    private void write(JournalEntry... entries) throws IOException {
        try (Journal journal = Journal.write(file)) {
            replayed(journal);
            for (JournalEntry entry : entries) {
                journal.append(entry);
            }
        }
    }

    @Test
    void entriesAreReadInWriteOrder() throws IOException {
        write(ADDED, USED);
        write(GONE);

        try (Journal journal = Journal.read(file)) {
            assertEquals(List.of(ADDED, USED, GONE), replayed(journal));
            assertTrue(journal.isComplete());
        }
    }

    @Test
    void readerGetsLaterEntriesOnce() throws IOException {
        try (Journal writer = Journal.write(file);
                Journal reader = Journal.read(file)) {
            assertEquals(List.of(), replayed(reader));
            writer.append(ADDED);
            assertEquals(List.of(ADDED), replayed(reader));
            assertEquals(List.of(), replayed(reader));
            writer.append(USED);
            writer.append(GONE);
            assertEquals(List.of(USED, GONE), replayed(reader));
            assertEquals(List.of(), replayed(writer), "its own are known to a writer");
        }
    }

    /** Wherever a process was killed, what was written before is whole. */
    @Test
    void truncatedEntryIsNotReadAndIsRepaired() throws IOException {
        write(ADDED);
        long whole = Files.size(file);
        write(USED);
        byte[] all = Files.readAllBytes(file);
        for (int size = (int) whole; size < all.length; size++) {
            Files.write(file, Arrays.copyOf(all, size));
            try (Journal journal = Journal.write(file)) {
                assertEquals(List.of(ADDED), replayed(journal), size + " bytes");
                assertEquals(size == whole, journal.isComplete(), size + " bytes");
                journal.truncateIncomplete();
                assertTrue(journal.isComplete());
                journal.append(GONE);
            }
            try (Journal journal = Journal.read(file)) {
                assertEquals(List.of(ADDED, GONE), replayed(journal), size + " bytes");
            }
        }
    }

    @Test
    void nothingBehindAChangedByteIsRead() throws IOException {
        write(ADDED);
        int begin = (int) Files.size(file);
        write(USED);
        byte[] all = Files.readAllBytes(file);
        for (int at = begin; at < all.length; at++) {
            byte[] changed = all.clone();
            changed[at] ^= 0x10;
            Files.write(file, changed);
            try (Journal journal = Journal.read(file)) {
                assertEquals(List.of(ADDED), replayed(journal), "byte " + at);
            }
        }
    }

    @Test
    void invalidJournalIsStartedAnew() throws IOException {
        for (byte[] other :
                List.of(
                        new byte[3],
                        new byte[8],
                        "something else".getBytes(StandardCharsets.UTF_8))) {
            Files.write(file, other);
            try (Journal journal = Journal.write(file)) {
                assertEquals(List.of(), replayed(journal));
                assertFalse(journal.isComplete(), "something is lost");
                journal.append(ADDED);
            }
            try (Journal journal = Journal.read(file)) {
                assertEquals(List.of(ADDED), replayed(journal));
            }
        }
    }

    @Test
    void emptyJournalIsComplete() throws IOException {
        try (Journal journal = Journal.write(file)) {
            assertTrue(journal.isComplete());
            assertEquals(Long.BYTES, Files.size(file));
        }
    }

    @Test
    void readerOfAnInvalidJournalGetsNothing() throws IOException {
        Files.write(file, new byte[100]);

        try (Journal journal = Journal.read(file)) {
            assertEquals(List.of(), replayed(journal));
            assertFalse(journal.isComplete());
            assertFalse(journal.isReplaced());
        }
    }

    @Test
    void readerTreatsAPartialEntryAsBeingWritten() throws IOException {
        write(ADDED);
        Files.write(file, new byte[] {0, 20, 1}, StandardOpenOption.APPEND);

        try (Journal journal = Journal.read(file)) {
            assertEquals(List.of(ADDED), replayed(journal));
            assertTrue(journal.isComplete());
        }
    }

    @Test
    void journalIsReplacedByAShorterOne() throws IOException {
        write(ADDED, USED, USED, USED);
        try (Journal reader = Journal.read(file)) {
            replayed(reader);
            assertFalse(reader.isReplaced());

            try (Journal replaced = Journal.replace(file, List.of(ADDED, GONE))) {
                replaced.append(USED);
                assertEquals(List.of(), replayed(replaced));
                assertFalse(replaced.isReplaced());
            }

            assertTrue(reader.isReplaced());
        }
        try (Journal reader = Journal.read(file)) {
            assertEquals(List.of(ADDED, GONE, USED), replayed(reader));
        }
        assertEquals(List.of(file), Files.list(folder).toList(), "nothing else is left");
    }

    @Test
    void shorterJournalIsDetectedAsReplaced() throws IOException {
        write(ADDED, USED);
        try (Journal reader = Journal.read(file)) {
            replayed(reader);
            byte[] all = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(all, all.length - 1));

            assertTrue(reader.isReplaced());
        }
    }
}
