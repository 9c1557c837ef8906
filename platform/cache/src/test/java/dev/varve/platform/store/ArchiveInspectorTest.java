package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.checkpoint;
import static dev.varve.platform.store.ArchiveFixture.features;
import static dev.varve.platform.store.ArchiveFixture.has;
import static dev.varve.platform.store.ArchiveFixture.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.contracts.SlotStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** An inspector maintains a folder of the prefix cache without a model. */
class ArchiveInspectorTest {
    private static final int SIZE = 3000;
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

    @TempDir private Path folder;

    private ArchiveFixture bed;
    private ArchiveInspector inspector;

    @BeforeEach
    void leaveTwoModels() throws IOException {
        bed = new ArchiveFixture(folder);
        inspector = new ArchiveInspector(folder, () -> NOW.plus(Duration.ofDays(10)));
        try (DiskArchive archive = bed.of("old").open()) {
            write(archive, block("a"), SIZE);
            write(archive, checkpoint("a", 5), SIZE);
        }
        bed.pass(Duration.ofDays(9));
        try (DiskArchive archive = bed.of("new").open()) {
            write(archive, block("a"), SIZE);
            write(archive, block("a/b"), SIZE);
            write(archive, checkpoint("a/b", 5), SIZE);
            write(archive, features(block("a")), SIZE);
            archive.use(checkpoint("a/b", 5).key());
        }
    }

    private ArchiveInspector.NamespaceSummary kept(String model) throws IOException {
        return inspector.namespaces().stream()
                .filter(each -> each.description().equals(Map.of("model", model)))
                .findFirst()
                .orElseThrow();
    }

    private long bytes() throws IOException {
        long bytes = 0;
        for (ArchiveInspector.NamespaceSummary kept : inspector.namespaces()) {
            bytes += kept.bytes();
        }
        return bytes;
    }

    @Test
    void eachModelIsDescribedWithItsContent() throws IOException {
        ArchiveInspector.NamespaceSummary old = kept("old");
        assertEquals(1, old.blocks());
        assertEquals(1, old.checkpoints());
        assertEquals(0, old.features());
        assertEquals(0, old.uses());
        assertEquals(NOW.toEpochMilli(), old.lastUse());
        assertTrue(old.readable());
        assertTrue(old.bytes() >= 2 * SIZE, old.bytes() + " bytes");
        assertTrue(old.bytes() < 8 * SIZE, old.bytes() + " bytes");

        ArchiveInspector.NamespaceSummary recent = kept("new");
        assertEquals(2, recent.blocks());
        assertEquals(1, recent.checkpoints());
        assertEquals(1, recent.features());
        assertEquals(1, recent.uses());
        assertEquals(NOW.plus(Duration.ofDays(9)).toEpochMilli(), recent.lastUse());
        assertEquals(2, inspector.namespaces().size());
    }

    @Test
    void intactObjectsAreReadAndCounted() throws IOException {
        List<String> progress = new ArrayList<>();

        ArchiveInspector.Verdict verdict =
                inspector.verify(
                        new SlotStore.Provider(),
                        Optional.empty(),
                        (done, all) -> progress.add(done + "/" + all));

        assertEquals(new ArchiveInspector.Verdict(6, List.of()), verdict);
        assertEquals(List.of("1/6", "2/6", "3/6", "4/6", "5/6", "6/6"), progress);
    }

    @Test
    void damagedObjectsAreNamed() throws IOException {
        Path home = kept("old").folder();
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : files.filter(each -> StoreSegment.Id.of(each).isPresent()).toList()) {
                byte[] bytes = Files.readAllBytes(file);
                // The values of the first slots.
                for (int i = 200; i < 8000; i += 64) {
                    bytes[i] ^= 1;
                }
                Files.write(file, bytes);
            }
        }

        ArchiveInspector.Verdict verdict =
                inspector.verify(new SlotStore.Provider(), Optional.empty(), (done, all) -> {});

        assertEquals(4, verdict.valid(), verdict::toString);
        assertFalse(verdict.broken().isEmpty());
        assertTrue(verdict.broken().getFirst().contains(home.toString()), verdict::toString);
    }

    @Test
    void unusedObjectsArePruned() throws IOException {
        long before = bytes();
        long old = kept("old").bytes();

        assertEquals(0, inspector.prune(Long.MAX_VALUE, Optional.of(Duration.ofDays(10))));
        assertEquals(old, inspector.prune(Long.MAX_VALUE, Optional.of(Duration.ofDays(9))));

        assertEquals(before - old, bytes());
        assertEquals(1, inspector.namespaces().size());
    }

    @Test
    void oldestModelIsPrunedFirst() throws IOException {
        long before = bytes();
        long recent = kept("new").bytes();

        assertEquals(0, inspector.prune(before, Optional.empty()));
        assertEquals(before - recent, inspector.prune(before - 1, Optional.empty()));

        assertEquals(List.of(), kept("old").objects());
        assertEquals(4, kept("new").objects().size());
        try (DiskArchive archive = bed.of("new").open()) {
            assertTrue(has(archive, checkpoint("a/b", 5), SIZE));
        }
        assertEquals(recent, inspector.prune(0, Optional.empty()));
        assertEquals(0, bytes());
    }

    @Test
    void clearingLeavesNothing() throws IOException {
        assertEquals(bytes(), inspector.clear());

        assertEquals(List.of(), inspector.namespaces());
        try (DiskArchive archive = bed.of("new").open()) {
            assertFalse(has(archive, block("a"), SIZE));
        }
    }

    @Test
    void nothingIsDeletedWhileAServerWrites() throws IOException {
        try (DiskArchive archive = bed.of("new").open()) {
            assertTrue(has(archive, block("a"), SIZE));
            VarveException thrown = assertThrows(VarveException.class, () -> inspector.clear());

            assertEquals(VarveException.Kind.UNAVAILABLE, thrown.kind());
            assertTrue(
                    thrown.getMessage().contains("process " + ProcessHandle.current().pid()),
                    thrown.getMessage());
            assertEquals(2, inspector.namespaces().size(), "it may be read");
        }
        inspector.clear();
    }

    @Test
    void missingFolderIsNamed() {
        ArchiveInspector nowhere = new ArchiveInspector(folder.resolve("missing"), () -> NOW);

        VarveException thrown = assertThrows(VarveException.class, nowhere::namespaces);

        assertEquals(VarveException.Kind.UNREADABLE_FILE, thrown.kind());
        assertTrue(thrown.getMessage().contains("missing"), thrown.getMessage());
    }
}
