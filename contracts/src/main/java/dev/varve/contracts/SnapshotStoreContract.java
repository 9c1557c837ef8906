package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * Contract of snapshot stores. Only this process uses the store, apart from tests that copy its
 * files.
 */
@Timeout(60)
public abstract class SnapshotStoreContract {
    private static final StoreSize SIZE = new StoreSize(32, 10_000, 50);
    private static final long SEED = 4711;

    @TempDir private Path folder;

    /** For extending classes. */
    protected SnapshotStoreContract() {}

    /** Creates a new provider. */
    protected abstract SnapshotStoreProvider provider();

    private Path path() {
        return folder.resolve("a store");
    }

    private SnapshotStore open(StoreAccess access) throws IOException {
        return provider().open(path(), SIZE, access);
    }

    @Test
    void constructorIsCheap() {
        ProviderRules.requireCheap(this::provider);
    }

    @Test
    void nameIsAStableWord() {
        SnapshotStoreProvider provider = provider();

        String name = provider.name();

        ProviderRules.requireWord(name);
        assertEquals(name, provider.name());
        assertEquals(name, provider().name());
    }

    @Test
    void exactlyTheStoredKeysExist() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            boolean before = store.get(key(1), ByteBuffer.allocate(1));
            boolean put = store.put(key(1), value(1));

            assertFalse(before);
            assertTrue(put);
            assertValue(1, store, 1);
            assertEquals(1, store.size());
            ByteBuffer target = ByteBuffer.allocate(SIZE.valueBytes());
            assertFalse(store.get(key(2), target));
            assertEquals(0, target.position());
        }
    }

    @Test
    void buffersAreReadFromTheirPositionsAndLeftUnchanged() throws IOException {
        List<LongFunction<ByteBuffer>> kinds =
                List.of(
                        number -> within(ByteBuffer.allocate(SIZE.valueBytes() + 9), number),
                        number -> within(ByteBuffer.allocateDirect(SIZE.valueBytes() + 9), number),
                        number ->
                                within(ByteBuffer.allocate(SIZE.valueBytes() + 9), number)
                                        .asReadOnlyBuffer(),
                        number ->
                                within(ByteBuffer.allocateDirect(SIZE.valueBytes() + 9), number)
                                        .slice(2, SIZE.valueBytes() + 3)
                                        .position(3)
                                        .limit(SIZE.valueBytes() + 3));
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            for (int i = 0; i < kinds.size(); i++) {
                ByteBuffer value = kinds.get(i).apply(i);
                ByteBuffer key = ByteBuffer.allocateDirect(40).position(5);
                key.put(key(i)).flip().position(5);
                int position = value.position();

                assertTrue(store.put(i % 2 == 0 ? key : key.asReadOnlyBuffer(), value));

                assertEquals(position, value.position());
                assertEquals(SIZE.valueBytes(), value.remaining());
                assertEquals(5, key.position());
                assertEquals(SIZE.keyBytes(), key.remaining());
                assertValue(i, store, i);
            }
        }
    }

    /** Writes the value of a number between bytes that do not belong to it. */
    private static ByteBuffer within(ByteBuffer target, long number) {
        target.position(5).put(value(number)).flip().position(5);
        return target;
    }

    @Test
    void targetGetsThePrefixThatFits() throws IOException {
        byte[] expected = value(1).array();
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            store.put(key(1), value(1));
            for (int bytes : List.of(0, 1, 7, 8, 4096, SIZE.valueBytes() - 1)) {
                for (ByteBuffer target :
                        List.of(
                                ByteBuffer.allocate(bytes + 8),
                                ByteBuffer.allocateDirect(bytes + 8))) {
                    target.position(3).limit(bytes + 3);

                    assertTrue(store.get(key(1), target));

                    assertEquals(bytes + 3, target.position());
                    assertEquals(bytes + 3, target.limit());
                    byte[] found = new byte[bytes + 8];
                    target.clear().get(found);
                    byte[] wanted = new byte[bytes + 8];
                    System.arraycopy(expected, 0, wanted, 3, bytes);
                    assertArrayEquals(wanted, found, bytes + " bytes, direct " + target.isDirect());
                }
            }
        }
    }

    @Test
    void secondPutReplacesTheFirst() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            store.put(key(1), value(1));

            assertTrue(store.put(key(1), value(2)));

            assertValue(2, store, 1);
            assertEquals(1, store.size());
        }
    }

    @Test
    void deletedValueIsMissingAndItsRoomIsFree() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            fill(store);

            assertTrue(store.delete(key(7)));
            assertFalse(store.delete(key(7)));

            assertFalse(store.get(key(7), ByteBuffer.allocate(1)));
            assertEquals(SIZE.values() - 1, store.size());
            assertTrue(store.put(key(1000), value(1000)));
            assertValue(1000, store, 1000);
            assertValue(6, store, 6);
            assertValue(8, store, 8);
        }
    }

    @Test
    void fullStoreRefusesPutsAndKeepsItsValues() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            fill(store);

            boolean more = store.put(key(1000), value(1000));

            assertFalse(more);
            assertEquals(SIZE.values(), store.size());
            assertFalse(store.get(key(1000), ByteBuffer.allocate(1)));
            assertTrue(store.put(key(3), value(4)), "a value can be replaced");
            assertValue(4, store, 3);
            for (int i = 4; i < SIZE.values(); i++) {
                assertValue(i, store, i);
            }
        }
    }

    @Test
    void allKeysAreListedOnce() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            assertEquals(List.of(), keys(store));
            store.put(key(1), value(1));
            store.put(key(2), value(2));
            store.put(key(3), value(3));
            store.put(key(2), value(4));
            store.delete(key(3));

            assertEquals(List.of(hex(key(1)), hex(key(2))), keys(store));
        }
    }

    @Test
    void consumerExceptionIsPropagatedAndTheStoreStaysUsable() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            store.put(key(1), value(1));

            assertThrows(
                    ArithmeticException.class,
                    () ->
                            store.keys(
                                    key -> {
                                        throw new ArithmeticException("no luck");
                                    }));

            assertTrue(store.put(key(2), value(2)));
            assertValue(1, store, 1);
        }
    }

    @Test
    void buffersOfAnotherSizeAreRefused() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            store.put(key(1), value(1));
            ByteBuffer shortKey = ByteBuffer.allocate(SIZE.keyBytes() - 1);
            ByteBuffer longKey = ByteBuffer.allocate(SIZE.keyBytes() + 1);
            ByteBuffer shortValue = ByteBuffer.allocate(SIZE.valueBytes() - 1);
            ByteBuffer longValue = ByteBuffer.allocate(SIZE.valueBytes() + 1);

            for (ByteBuffer key : List.of(shortKey, longKey)) {
                assertRefused(() -> store.put(key, value(1)));
                assertRefused(() -> store.get(key, ByteBuffer.allocate(1)));
                assertRefused(() -> store.delete(key));
            }
            for (ByteBuffer value : List.of(shortValue, longValue)) {
                assertRefused(() -> store.put(key(1), value));
            }
            assertRefused(() -> store.get(key(1), longValue));
            assertValue(1, store, 1);
        }
    }

    private interface Use {
        void run() throws IOException;
    }

    private static void assertRefused(Use use) {
        assertThrows(IllegalArgumentException.class, use::run);
    }

    @Test
    void reopenedStoreHoldsTheSameValues() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            store.put(key(1), value(1));
            store.put(key(2), value(2));
            store.delete(key(1));
        }

        for (StoreAccess access :
                List.of(StoreAccess.READ, StoreAccess.WRITE, StoreAccess.RECOVER)) {
            try (SnapshotStore store = open(access)) {
                assertValue(2, store, 2);
                assertEquals(1, store.size(), access.toString());
                assertEquals(List.of(hex(key(2))), keys(store));
                assertFalse(store.get(key(1), ByteBuffer.allocate(1)));
            }
        }
        try (SnapshotStore store = open(StoreAccess.WRITE)) {
            fill(store);
        }
        try (SnapshotStore store = open(StoreAccess.READ)) {
            assertEquals(SIZE.values(), store.size());
            assertValue(SIZE.values() - 1, store, SIZE.values() - 1);
        }
    }

    @Test
    void secondWriterIsRefused() throws IOException {
        try (SnapshotStore first = open(StoreAccess.CREATE)) {
            for (StoreAccess access :
                    List.of(StoreAccess.WRITE, StoreAccess.RECOVER, StoreAccess.CREATE)) {
                assertNamesThePath(assertThrows(IOException.class, () -> open(access)));
            }
            assertTrue(first.put(key(1), value(1)));
        }
        try (SnapshotStore second = open(StoreAccess.WRITE)) {
            assertNamesThePath(assertThrows(IOException.class, () -> open(StoreAccess.WRITE)));
            assertValue(1, second, 1);
        }
    }

    @Test
    void readerMayOpenBesideAWriterAndMayNotWrite() throws IOException {
        try (SnapshotStore writer = open(StoreAccess.CREATE)) {
            writer.put(key(1), value(1));
            try (SnapshotStore reader = open(StoreAccess.READ)) {
                assertValue(1, reader, 1);
                assertNamesThePath(
                        assertThrows(IOException.class, () -> reader.put(key(2), value(2))));
                assertNamesThePath(assertThrows(IOException.class, () -> reader.delete(key(1))));
            }
            assertTrue(writer.put(key(2), value(2)));
            assertNamesThePath(assertThrows(IOException.class, () -> open(StoreAccess.WRITE)));
        }
    }

    @Test
    void openingWithAnotherSizeIsRefused() throws IOException {
        open(StoreAccess.CREATE).close();

        for (StoreSize size :
                List.of(
                        new StoreSize(31, 10_000, 50),
                        new StoreSize(32, 10_001, 50),
                        new StoreSize(32, 10_000, 51))) {
            for (StoreAccess access :
                    List.of(StoreAccess.READ, StoreAccess.WRITE, StoreAccess.RECOVER)) {
                assertNamesThePath(
                        assertThrows(
                                IOException.class, () -> provider().open(path(), size, access)));
            }
        }
        open(StoreAccess.WRITE).close();
    }

    @Test
    void existingPathIsNotOverwritten() throws IOException {
        Files.writeString(path(), "mine");
        assertNamesThePath(assertThrows(IOException.class, () -> open(StoreAccess.CREATE)));
        assertEquals("mine", Files.readString(path()));

        Files.delete(path());
        Files.createDirectory(path());
        assertNamesThePath(assertThrows(IOException.class, () -> open(StoreAccess.CREATE)));

        Files.delete(path());
        open(StoreAccess.CREATE).close();
        assertNamesThePath(assertThrows(IOException.class, () -> open(StoreAccess.CREATE)));
        open(StoreAccess.WRITE).close();
    }

    @Test
    void pathThatIsNoStoreIsRefused() throws IOException {
        assertIsNoStore("nothing");
        Files.createFile(path());
        assertIsNoStore("an empty file");
        byte[] random = new byte[1 << 20];
        new Random(SEED).nextBytes(random);
        Files.write(path(), random);
        assertIsNoStore("a random file");
        Files.delete(path());
        Files.createDirectory(path());
        assertIsNoStore("an empty folder");
    }

    /** Truncates the file, or each file if the store is a folder, to several lengths. */
    @Test
    void truncatedStoreIsRefusedOrLacksTheTruncatedValues() throws IOException {
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            fill(store);
        }
        Path whole = folder.resolve("whole");
        copy(path(), whole);
        for (Path file : files(whole)) {
            long bytes = Files.size(file);
            for (long left : new TreeSet<>(List.of(0L, bytes / 3, Math.max(0, bytes - 1)))) {
                if (left == bytes) {
                    continue;
                }
                deleteAll(path());
                copy(whole, path());
                cut(path().resolve(whole.relativize(file).toString()), left);
                for (StoreAccess access :
                        List.of(StoreAccess.READ, StoreAccess.WRITE, StoreAccess.RECOVER)) {
                    assertWholeOrRefused(access, file + " cut to " + left);
                }
            }
        }
    }

    private static void cut(Path file, long bytes) throws IOException {
        try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    private void assertWholeOrRefused(StoreAccess access, String what) throws IOException {
        try (SnapshotStore store = open(access)) {
            ByteBuffer target = ByteBuffer.allocate(SIZE.valueBytes());
            for (int i = 0; i < SIZE.values(); i++) {
                store.get(key(i), target.clear());
            }
        } catch (IOException e) {
            assertNamesThePath(e);
        } catch (RuntimeException e) {
            throw new AssertionError(what + ", opened for " + access, e);
        }
    }

    private void assertIsNoStore(String what) {
        for (StoreAccess access :
                List.of(StoreAccess.READ, StoreAccess.WRITE, StoreAccess.RECOVER)) {
            assertNamesThePath(
                    assertThrows(
                            IOException.class, () -> open(access), what + " opened for " + access));
        }
    }

    private void assertNamesThePath(IOException error) {
        assertTrue(
                String.valueOf(error.getMessage()).contains(path().toString()),
                "expected " + path() + ", found " + error.getMessage());
    }

    /** Simulates a killed process: its files hold the data that it had written. */
    @Test
    void storeThatWasNotClosedIsRepaired() throws IOException {
        Path left = folder.resolve("left");
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            for (int i = 0; i < 20; i++) {
                store.put(key(i), value(i));
            }
            store.delete(key(3));
            copy(path(), left);
        }

        try (SnapshotStore store = provider().open(left, SIZE, StoreAccess.RECOVER)) {
            assertEquals(19, store.size());
            for (int i = 0; i < 20; i++) {
                if (i != 3) {
                    assertValue(i, store, i);
                }
            }
            assertFalse(store.get(key(3), ByteBuffer.allocate(1)));
            fill(store);
        }
        try (SnapshotStore store = provider().open(left, SIZE, StoreAccess.WRITE)) {
            assertEquals(SIZE.values(), store.size());
            for (int i = 0; i < SIZE.values(); i++) {
                assertValue(i, store, i);
            }
        }
    }

    @Test
    void threadsUseTheStoreConcurrently() throws Exception {
        int threads = 4;
        int each = (int) SIZE.values() / threads;
        try (SnapshotStore store = open(StoreAccess.CREATE)) {
            List<FutureTask<Object>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int first = i * each;
                FutureTask<Object> task = new FutureTask<>(() -> churn(store, first, each));
                Thread.ofPlatform().daemon().name("store-contract").start(task);
                tasks.add(task);
            }
            for (FutureTask<Object> task : tasks) {
                task.get();
            }

            assertEquals(threads * each, store.size());
            assertEquals(threads * each, keys(store).size());
        }
    }

    /**
     * Puts, replaces, reads and deletes values that no other thread uses, and leaves all of them
     * stored.
     */
    private static Object churn(SnapshotStore store, int first, int count) throws IOException {
        Random random = new Random(SEED + first);
        for (int round = 0; round < 300; round++) {
            int number = first + random.nextInt(count);
            assertTrue(store.put(key(number), value(number)));
            assertValue(number, store, number);
            if (random.nextInt(3) == 0) {
                assertTrue(store.delete(key(number)));
            }
        }
        for (int number = first; number < first + count; number++) {
            assertTrue(store.put(key(number), value(number)));
        }
        return store;
    }

    @Test
    void closedStoreRefusesUseAndClosesTwice() throws IOException {
        SnapshotStore store = open(StoreAccess.CREATE);
        store.put(key(1), value(1));

        store.close();
        store.close();

        for (Use use :
                List.<Use>of(
                        () -> store.put(key(1), value(1)),
                        () -> store.get(key(1), ByteBuffer.allocate(1)),
                        () -> store.delete(key(1)),
                        () -> store.keys(key -> {}),
                        store::size)) {
            assertThrows(IllegalStateException.class, use::run);
        }
        try (SnapshotStore again = open(StoreAccess.WRITE)) {
            assertValue(1, again, 1);
        }
    }

    private static void fill(SnapshotStore store) throws IOException {
        for (int i = 0; i < SIZE.values(); i++) {
            assertTrue(store.put(key(i), value(i)), "value " + i);
        }
    }

    private static ByteBuffer key(long number) {
        return bytes(SIZE.keyBytes(), SEED + number);
    }

    private static ByteBuffer value(long number) {
        return bytes(SIZE.valueBytes(), number);
    }

    private static ByteBuffer bytes(int count, long seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static void assertValue(long expected, SnapshotStore store, long key)
            throws IOException {
        ByteBuffer target = ByteBuffer.allocate(SIZE.valueBytes());
        assertTrue(store.get(key(key), target), "value of key " + key);
        assertEquals(SIZE.valueBytes(), target.position());
        assertArrayEquals(value(expected).array(), target.array(), "value of key " + key);
    }

    /** Lists keys in the order of their numbers. */
    private static List<String> keys(SnapshotStore store) throws IOException {
        List<String> found = new ArrayList<>();
        store.keys(key -> found.add(hex(key)));
        List<String> known =
                Stream.iterate(0, i -> i + 1).limit(SIZE.values()).map(i -> hex(key(i))).toList();
        found.sort(Comparator.comparingInt(known::indexOf));
        return found;
    }

    private static String hex(ByteBuffer key) {
        byte[] bytes = new byte[key.remaining()];
        key.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static List<Path> files(Path top) throws IOException {
        try (Stream<Path> files = Files.walk(top)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private static void deleteAll(Path top) throws IOException {
        Files.walkFileTree(
                top,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path folder, IOException problem)
                            throws IOException {
                        Files.delete(folder);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
