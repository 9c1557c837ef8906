package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.checkpoint;
import static dev.varve.platform.store.ArchiveFixture.has;
import static dev.varve.platform.store.ArchiveFixture.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Objects that an archive evicts, and objects that it keeps. */
class SegmentEvictionTest {
    private static final int SIZE = 20_000;
    private static final int ROUNDS = Effort.of(60, 400);
    private static final long BUDGET = 40 * 24_000;

    @TempDir private Path folder;

    private ArchiveFixture bed() {
        return new ArchiveFixture(folder.resolve("store")).budget(BUDGET).blocks(SIZE);
    }

    private long filesBytes() throws Exception {
        long sum = 0;
        try (Stream<Path> files = Files.walk(folder.resolve("store"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                sum += Files.size(file);
            }
        }
        return sum;
    }

    @Test
    void budgetHoldsAndUsedObjectsStay() throws Exception {
        ArchiveFixture bed = bed();
        try (DiskArchive archive = bed.open()) {
            write(archive, block("head"), SIZE);
            write(archive, checkpoint("head", 0), SIZE);
            for (int i = 0; i < ROUNDS; i++) {
                bed.pass(Duration.ofMinutes(10));
                archive.use(checkpoint("head", 0).key());
                assertTrue(write(archive, block("head/" + i), SIZE).isStored(), "at " + i);
                assertTrue(write(archive, checkpoint("head/" + i, 5), SIZE).isStored());
                assertTrue(archive.status().usedBytes() <= BUDGET, "at " + i);
                assertTrue(has(archive, checkpoint("head", 0), SIZE), "at " + i);
                assertTrue(has(archive, checkpoint("head/" + i, 5), SIZE), "at " + i);
            }
            assertTrue(archive.status().traffic().evictions() > ROUNDS * 3 / 4);
        }
        try (DiskArchive archive = bed.open()) {
            assertTrue(has(archive, checkpoint("head", 0), SIZE));
            assertTrue(has(archive, checkpoint("head/" + (ROUNDS - 1), 5), SIZE));
        }
        assertTrue(filesBytes() < 2 * BUDGET, filesBytes() + " bytes");
    }

    @Test
    void objectsOfAnotherModelAreEvictedFirst() throws Exception {
        try (DiskArchive other = bed().of("other").open()) {
            for (int i = 0; i < 25; i++) {
                write(other, block("o" + i), SIZE);
            }
        }
        try (DiskArchive archive = bed().open()) {
            for (int i = 0; i < 25; i++) {
                assertTrue(write(archive, block("n" + i), SIZE).isStored());
            }
            assertTrue(has(archive, block("n0"), SIZE));
        }
        try (DiskArchive other = bed().of("other").open()) {
            assertEquals(0, other.status().objects());
        }
    }

    /** The index and plain maps, over many operations, with evictions among them. */
    @Test
    void objectWithoutItsPredecessorIsNotFound() {
        Random random = new Random(7);
        ObjectIndex index = new ObjectIndex();
        Map<String, Integer> model = new HashMap<>();
        List<String> paths = new ArrayList<>();
        int segment = 1;
        for (int i = 0; i < Effort.of(10_000, 100_000); i++) {
            int what = random.nextInt(100);
            if (what < 60) {
                String parent =
                        paths.isEmpty() || random.nextInt(4) == 0
                                ? ""
                                : paths.get(random.nextInt(paths.size()));
                String path = parent.isEmpty() ? "p" + i : parent + "/" + i % 50;
                if (path.split("/").length <= 6 && !model.containsKey(path)) {
                    boolean added = index.add(entry(block(path), segment, i));
                    assertEquals(parent.isEmpty() || model.containsKey(parent), added, path);
                    if (added) {
                        model.put(path, segment);
                        paths.add(path);
                    }
                }
            } else if (what < 95 && !paths.isEmpty()) {
                String path = paths.get(random.nextInt(paths.size()));
                assertEquals(
                        model.containsKey(path),
                        index.find(block(path).key(), Long.MIN_VALUE).isPresent());
                index.use(block(path).key(), i);
            } else if (what < 98 && !paths.isEmpty()) {
                String path = paths.get(random.nextInt(paths.size()));
                index.remove(block(path).key());
                model.keySet().removeIf(each -> each.equals(path) || each.startsWith(path + "/"));
            } else if (what == 98) {
                segment++;
            } else if (segment > 4) {
                int victim = segment - 4;
                index.removeSegments(number -> number == victim);
                Set<String> gone = new HashSet<>();
                model.forEach(
                        (path, number) -> {
                            if (number == victim) {
                                gone.add(path);
                            }
                        });
                model.keySet().removeIf(path -> hasAncestor(gone, path));
            }
            if (i % 1000 == 0) {
                assertEquals(model.size(), index.size());
                paths.removeIf(path -> !model.containsKey(path));
            }
        }
        assertEquals(model.size(), index.size());
    }

    private static boolean hasAncestor(Set<String> gone, String path) {
        for (int cut = path.length(); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
            if (gone.contains(path.substring(0, cut))) {
                return true;
            }
        }
        return false;
    }

    private static JournalEntry.Added entry(ObjectDescriptor name, int segment, long time) {
        return new JournalEntry.Added(name, SIZE, 3, segment, time);
    }

    /**
     * Tens of thousands of keys, at night a million: the plan is made in seconds, and its carried
     * objects need nothing else.
     */
    @Test
    void planningScalesToManyObjects() {
        int most = Effort.of(60_000, 1_000_000);
        ObjectIndex index = new ObjectIndex();
        Random random = new Random(3);
        Map<ObjectKey, ObjectDescriptor> names = new HashMap<>();
        int count = 0;
        for (int chat = 0; count < most; chat++) {
            ObjectKey parent = ArchiveFixture.key("root");
            int depth = 1 + random.nextInt(30);
            for (int i = 0; i < depth; i++) {
                byte[] bytes = new byte[ObjectKey.BYTES];
                random.nextBytes(bytes);
                ObjectDescriptor name =
                        new ObjectDescriptor(
                                ObjectKey.of(bytes),
                                parent,
                                i == depth - 1 ? ObjectKind.CHECKPOINT : ObjectKind.BLOCK,
                                256 * (i + 1),
                                256);
                assertTrue(index.add(entry(name, 1 + count / 20_000, chat)));
                names.put(name.key(), name);
                parent = name.key();
                count++;
            }
            if (chat % 3 == 0) {
                index.use(parent, chat);
            }
        }

        Optional<SegmentEviction.Plan> plan =
                index.plan(new SegmentEviction(number -> number != Effort.of(2, 50), 100_000));

        Set<ObjectKey> there = new HashSet<>();
        for (ObjectKey key : plan.orElseThrow().carried()) {
            ObjectDescriptor name = names.get(key);
            ObjectDescriptor before = names.get(name.parent());
            boolean kept =
                    before == null
                            || there.contains(before.key())
                            || index.place(before.key()).orElseThrow().segment()
                                    != plan.get().segment();
            assertTrue(kept, "parents are carried first");
            there.add(key);
        }
        assertTrue(there.size() > 100, there.size() + " are carried");
        int victim = plan.get().segment();
        assertTrue(index.removeSegments(number -> number == victim) >= 20_000);
    }

    @Test
    void readersSeeOnlyTheirObjectsDuringWritesAndEviction() throws Exception {
        try (DiskArchive archive = bed().open();
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            write(archive, block("head"), SIZE);
            List<Future<Integer>> work = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int thread = t;
                Callable<Integer> task = () -> mix(archive, thread);
                work.add(threads.submit(task));
            }
            int read = 0;
            for (Future<Integer> each : work) {
                read += each.get();
            }
            assertTrue(read > 100, read + " reads");
        }
    }

    /** Writes and reads; {@link ArchiveFixture#read} compares the bytes. */
    private static int mix(DiskArchive archive, int thread) {
        Random random = new Random(thread);
        int read = 0;
        for (int i = 0; i < Effort.of(50, 300); i++) {
            String path = "head" + random.nextInt(60);
            if (thread % 2 == 0) {
                write(archive, block(path), SIZE);
                write(archive, checkpoint(path, 4), SIZE);
            } else {
                read += has(archive, block(path), SIZE) ? 1 : 0;
                read += has(archive, checkpoint(path, 4), SIZE) ? 1 : 0;
            }
        }
        return thread % 2 == 0 ? 100 : read;
    }
}
