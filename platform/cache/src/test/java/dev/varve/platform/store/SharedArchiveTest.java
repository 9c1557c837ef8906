package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.checkpoint;
import static dev.varve.platform.store.ArchiveFixture.digest;
import static dev.varve.platform.store.ArchiveFixture.payload;
import static dev.varve.platform.store.ArchiveFixture.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.contracts.MemorySharedStore;
import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.SharedArchiveStatus.SearchOutcome;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Objects in a store of several servers are whole and right, or are not there. */
@Timeout(60)
class SharedArchiveTest {
    private static final int PART = SharedArchive.PART_BYTES;
    private static final ObjectDescriptor NAME = block("a");

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final Scripted store = new Scripted(values);

    @TempDir private Path folder;

    /** A sound store. It fails when a test asks for failures, and it records its calls. */
    private static final class Scripted implements SharedStore {
        private final MemorySharedStore sound;
        private final List<String> touched = new ArrayList<>();
        private volatile boolean fails;
        private int closed;
        private int puts;

        Scripted(Map<String, byte[]> values) {
            sound = new MemorySharedStore(values);
        }

        private void meet() throws IOException {
            if (fails) {
                throw new IOException("it is away");
            }
        }

        @Override
        public void get(List<String> keys, int most, Duration limit, Values taker)
                throws IOException {
            meet();
            sound.get(keys, most, limit, taker);
        }

        @Override
        public BitSet has(List<String> keys, Duration limit) throws IOException {
            meet();
            return sound.has(keys, limit);
        }

        @Override
        public void put(String key, ByteBuffer value, Duration limit) throws IOException {
            meet();
            puts++;
            sound.put(key, value, limit);
        }

        @Override
        public void mark(String key, int bit, Duration limit) throws IOException {
            meet();
            sound.mark(key, bit, limit);
        }

        @Override
        public void touch(List<String> keys, Duration limit) throws IOException {
            meet();
            touched.addAll(keys);
            sound.touch(keys, limit);
        }

        @Override
        public void deleteAll(String prefix, Duration limit) throws IOException {
            meet();
            sound.deleteAll(prefix, limit);
        }

        @Override
        public void ping(Duration limit) throws IOException {
            meet();
            sound.ping(limit);
        }

        @Override
        public void close() {
            closed++;
            sound.close();
        }
    }

    private static SharedArchiveSettings settings(String model, boolean readOnly) {
        return settings(model, readOnly, Optional.empty());
    }

    private static SharedArchiveSettings settings(
            String model, boolean readOnly, Optional<ChunkCipher> cipher) {
        return new SharedArchiveSettings(
                "memory://test",
                new Namespace(digest(model), Map.of()),
                readOnly,
                Duration.ofSeconds(20),
                cipher);
    }

    private SharedArchive open() {
        return SharedArchive.open(settings("model", false), store);
    }

    private static long soon() {
        return System.nanoTime() + Duration.ofSeconds(30).toNanos();
    }

    private static Optional<SharedObjectManifest> head(SharedArchive archive, ObjectDescriptor name)
            throws ArchiveMissException {
        return Optional.ofNullable(archive.heads(List.of(name.key()), soon()).get(name.key()));
    }

    /** Bytes of an object, whose header must be its key. */
    private static byte[] read(SharedArchive archive, ObjectDescriptor name)
            throws ArchiveMissException {
        SharedObjectManifest head = head(archive, name).orElseThrow();
        List<byte[]> read = new ArrayList<>();
        archive.read(
                head,
                new ObjectTarget() {
                    @Override
                    public boolean accept(ByteBuffer header, long bytes) {
                        assertEquals(ByteBuffer.wrap(name.key().bytes()), header);
                        read.add(new byte[(int) bytes]);
                        return true;
                    }

                    @Override
                    public void write(long offset, ByteBuffer bytes) {
                        bytes.get(read.getFirst(), (int) offset, bytes.remaining());
                    }
                },
                soon());
        return read.getFirst();
    }

    private static Reason missed(SharedArchive archive, ObjectDescriptor name) {
        return assertThrows(ArchiveMissException.class, () -> read(archive, name)).reason();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5000, PART - 100, PART, 2 * PART + 17})
    void writtenObjectRoundTrips(int size) throws Exception {
        try (SharedArchive archive = open()) {
            assertEquals(WriteResult.WRITTEN, archive.write(NAME, source(NAME, size)));

            assertArrayEquals(payload(NAME, size), read(archive, NAME));
            // Preamble, and the key as header.
            long bytes = ObjectPreamble.BYTES + ObjectKey.BYTES + size;
            assertEquals(bytes, head(archive, NAME).orElseThrow().bytes());
            assertEquals(bytes, archive.status().writtenBytes());
            assertEquals(bytes, archive.status().readBytes());
            for (byte[] value : values.values()) {
                assertTrue(value.length <= PART, value.length + " bytes of a value");
            }
        }
    }

    @Test
    void existingObjectIsTouchedAndNotWrittenAgain() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, PART));
            int puts = store.puts;

            assertEquals(WriteResult.KNOWN, archive.write(NAME, source(NAME, PART)));

            assertEquals(puts, store.puts);
            assertTrue(store.touched.containsAll(values.keySet()), store.touched::toString);
            assertEquals(puts + 1, store.touched.size(), "its parts, its head and its tails");
        }
    }

    @Test
    void objectWithAMissingPartIsWrittenAgain() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 2 * PART));
            SharedObjectManifest head = head(archive, NAME).orElseThrow();
            ObjectDescriptor other = block("b");
            archive.write(other, source(other, 10));
            SharedObjectManifest whole = head(archive, other).orElseThrow();
            values.keySet().removeIf(key -> key.endsWith(":1"));

            BitSet complete = archive.complete(List.of(whole, head, whole), soon());

            assertEquals(BitSet.valueOf(new long[] {0b101}), complete);
            assertEquals(Reason.ABSENT, missed(archive, NAME));
            assertEquals(1, archive.status().misses().get(Reason.ABSENT));
            assertEquals(WriteResult.WRITTEN, archive.write(NAME, source(NAME, 2 * PART)));
            assertArrayEquals(payload(NAME, 2 * PART), read(archive, NAME));
        }
    }

    @Test
    void changedValueIsDetected() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 2 * PART));
            for (String part : List.of(":0", ":1")) {
                String key =
                        values.keySet().stream().filter(k -> k.endsWith(part)).findFirst().get();
                byte[] sound = values.get(key);
                byte[] changed = sound.clone();
                changed[changed.length / 2] ^= 1;
                values.put(key, changed);
                assertEquals(Reason.CORRUPT, missed(archive, NAME), "part " + part);
                values.put(key, Arrays.copyOf(sound, sound.length - 1));
                assertEquals(Reason.CORRUPT, missed(archive, NAME), "part " + part);
                values.put(key, sound);
            }
            assertArrayEquals(payload(NAME, 2 * PART), read(archive, NAME));
            assertEquals(4, archive.status().misses().get(Reason.CORRUPT));
        }
    }

    @Test
    void invalidHeadIsRefused() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 10));
            ObjectDescriptor other = block("b");
            archive.write(other, source(other, 10));
            String prefix = "varve:1:" + new Namespace(digest("model"), Map.of()).folder() + ":";
            byte[] head = values.get(prefix + NAME.key());

            values.put(prefix + NAME.key(), values.get(prefix + other.key()));
            assertEquals(Optional.empty(), head(archive, NAME), "that of another object");
            values.put(prefix + NAME.key(), new byte[] {1, 2, 3});
            assertEquals(Optional.empty(), head(archive, NAME), "three bytes");
            values.put(prefix + NAME.key(), head);
            assertTrue(head(archive, NAME).isPresent());
            assertEquals(
                    Set.of(other.key(), NAME.key()),
                    archive.heads(List.of(block("c").key(), other.key(), NAME.key()), soon())
                            .keySet());
        }
    }

    @Test
    void objectRefusedByTheTargetIsAMismatch() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 10));
            SharedObjectManifest head = head(archive, NAME).orElseThrow();
            ObjectTarget picky =
                    new ObjectTarget() {
                        @Override
                        public boolean accept(ByteBuffer header, long bytes) {
                            return false;
                        }

                        @Override
                        public void write(long offset, ByteBuffer bytes) {
                            throw new AssertionError("it is not wanted");
                        }
                    };

            ArchiveMissException miss =
                    assertThrows(
                            ArchiveMissException.class, () -> archive.read(head, picky, soon()));

            assertEquals(Reason.MISMATCH, miss.reason());
            assertTrue(archive.isAvailable(), "that is no fault of the store");
        }
    }

    @Test
    void checkpointsAreMarkedBehindTheirBlock() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 10));
            archive.write(checkpoint("a", 7), source(checkpoint("a", 7), 10));
            archive.write(checkpoint("a", 200), source(checkpoint("a", 200), 10));
            archive.write(checkpoint("", 1), source(checkpoint("", 1), 10));

            List<BitSet> tails =
                    archive.tails(
                            List.of(NAME.key(), block("b").key(), ArchiveFixture.key("root")),
                            soon());

            BitSet behind = new BitSet();
            behind.set(7);
            behind.set(200);
            BitSet first = new BitSet();
            first.set(1);
            assertEquals(List.of(behind, new BitSet(), first), tails);
        }
    }

    /** Parts of both have other keys, so that the last head finds the parts of its own writer. */
    @Test
    void concurrentWritersOfOneObjectDoNotMixParts() throws Exception {
        Map<String, byte[]> before = new TreeMap<>();
        try (SharedArchive one = open()) {
            one.write(NAME, source(NAME, PART));
            before.putAll(values);
        }
        values.clear();
        try (SharedArchive two =
                SharedArchive.open(settings("model", false), new MemorySharedStore(values))) {
            two.write(NAME, source(NAME, PART));
            String head = values.keySet().stream().filter(before::containsKey).findFirst().get();

            assertEquals(
                    1, values.keySet().stream().filter(before::containsKey).count(), "the head");
            values.putAll(before);
            assertArrayEquals(payload(NAME, PART), read(two, NAME));
            assertTrue(head.endsWith(NAME.key().toString()), head);
        }
    }

    @Test
    void readOnlyStoreIsNotWritten() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 10));
        }
        try (SharedArchive reader =
                SharedArchive.open(settings("model", true), new MemorySharedStore(values))) {
            assertFalse(reader.acceptsWrites());
            assertFalse(reader.status().writes());
            assertTrue(reader.status().available());
            assertEquals(WriteResult.NO_SPACE, reader.write(block("b"), source(block("b"), 10)));
            reader.clear();
            assertArrayEquals(payload(NAME, 10), read(reader, NAME));
        }
    }

    @Test
    void clearingDeletesOnlyObjectsOfTheModel() throws Exception {
        try (SharedArchive archive = open();
                SharedArchive other =
                        SharedArchive.open(
                                settings("other", false), new MemorySharedStore(values))) {
            archive.write(NAME, source(NAME, 10));
            other.write(NAME, source(NAME, 20));

            archive.clear();

            assertEquals(Optional.empty(), head(archive, NAME));
            assertArrayEquals(payload(NAME, 20), read(other, NAME));
        }
    }

    @Test
    void failingStoreIsSuspendedUntilItResponds() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 10));
            SharedObjectManifest head = head(archive, NAME).orElseThrow();
            store.fails = true;

            assertThrows(ArchiveMissException.class, () -> head(archive, NAME));

            assertFalse(archive.isAvailable());
            assertFalse(archive.acceptsWrites());
            assertEquals(WriteResult.NO_SPACE, archive.write(block("b"), source(block("b"), 10)));
            ArchiveMissException miss =
                    assertThrows(
                            ArchiveMissException.class,
                            () -> archive.complete(List.of(head), soon()));
            assertEquals(Reason.UNREADABLE, miss.reason());
            assertTrue(miss.getMessage().contains("is not used for now"), miss.getMessage());
            store.touched.clear();
            archive.touch(List.of(head));
            assertEquals(List.of(), store.touched);
            store.fails = false;
            Await.until("it is asked again", archive::isAvailable);
            assertArrayEquals(payload(NAME, 10), read(archive, NAME));
        }
    }

    @Test
    void unwritableStoreIsReadOnlyForAWhile() throws Exception {
        Map<String, byte[]> full = new ConcurrentHashMap<>();
        MemorySharedStore sound = new MemorySharedStore(full);
        SharedStore takesNothing =
                (SharedStore)
                        Proxy.newProxyInstance(
                                SharedStore.class.getClassLoader(),
                                new Class<?>[] {SharedStore.class},
                                (proxy, method, arguments) -> {
                                    if (method.getName().equals("put")) {
                                        throw new IOException("it is full");
                                    }
                                    return method.invoke(sound, arguments);
                                });
        try (SharedArchive archive = SharedArchive.open(settings("model", false), takesNothing)) {
            assertTrue(archive.acceptsWrites());

            assertEquals(WriteResult.FAILED, archive.write(NAME, source(NAME, 10)));

            assertFalse(archive.acceptsWrites());
            assertTrue(archive.isAvailable());
            assertEquals(WriteResult.NO_SPACE, archive.write(NAME, source(NAME, 10)));
            assertEquals(0, archive.status().writtenBytes());
        }
    }

    @Test
    void failedClearIsReported() {
        try (SharedArchive archive = open()) {
            store.fails = true;

            VarveException thrown = assertThrows(VarveException.class, archive::clear);

            assertEquals(VarveException.Kind.UNAVAILABLE, thrown.kind());
            assertTrue(thrown.getMessage().contains("memory://test"), thrown.getMessage());
            assertTrue(thrown.getMessage().contains("it is away"), thrown.getMessage());
        }
    }

    /** Three in a row say something of the store; fewer say that little was to be computed. */
    @Test
    void lookupDeadlineIsReportedAndTheStoreStaysInUse() throws Exception {
        try (SharedArchive archive = open()) {
            archive.write(NAME, source(NAME, 10));
            long past = System.nanoTime() - 1;
            for (int i = 0; i < 2; i++) {
                ArchiveMissException miss =
                        assertThrows(
                                ArchiveMissException.class,
                                () -> archive.tails(List.of(NAME.key()), past));
                assertTrue(miss.getMessage().contains("computing"), miss.getMessage());
            }
            assertTrue(archive.isAvailable());
            head(archive, NAME);
            for (int i = 0; i < 3; i++) {
                assertTrue(archive.isAvailable(), "an answer came in between");
                assertThrows(
                        ArchiveMissException.class, () -> archive.tails(List.of(NAME.key()), past));
            }
            assertFalse(archive.isAvailable());
        }
    }

    @Test
    void encryptedObjectsCannotBeReadWithoutTheKey() throws Exception {
        Path one = Files.write(folder.resolve("one"), digest("one"));
        Path two = Files.write(folder.resolve("two"), digest("two"));
        ChunkCipher cipher = ChunkCipher.of(one);
        ObjectDescriptor secret = block("secret");
        byte[] text = "a long secret that nobody may see".getBytes(StandardCharsets.US_ASCII);
        ObjectSource source =
                new ObjectSource() {
                    @Override
                    public ByteBuffer header() {
                        return ByteBuffer.wrap(secret.key().bytes());
                    }

                    @Override
                    public long bytes() {
                        return text.length;
                    }

                    @Override
                    public void give(long offset, ByteBuffer target) {
                        target.put(text, (int) offset, target.remaining());
                    }
                };
        try (SharedArchive archive =
                SharedArchive.open(settings("model", false, Optional.of(cipher)), store)) {
            archive.write(secret, source);

            assertArrayEquals(text, read(archive, secret));
            for (byte[] value : values.values()) {
                assertFalse(
                        new String(value, StandardCharsets.ISO_8859_1).contains("a long secret"));
            }
        }
        try (SharedArchive stranger =
                SharedArchive.open(
                        settings("model", false, Optional.of(ChunkCipher.of(two))),
                        new MemorySharedStore(values))) {
            assertEquals(Optional.empty(), head(stranger, secret));
        }
    }

    @Test
    void lastOwnerClosesTheStore() {
        SharedArchive archive = open();
        SharedArchive same = archive.share();

        archive.close();
        assertEquals(0, store.closed);
        assertTrue(same.isAvailable());
        same.close();

        assertEquals(1, store.closed);
        assertFalse(same.isAvailable());
    }

    @Test
    void lookupsAreCountedByResult() {
        try (SharedArchive archive = open()) {
            archive.count(SearchOutcome.FOUND);
            archive.count(SearchOutcome.FOUND);
            archive.count(SearchOutcome.SKIPPED);

            SharedArchiveStatus status = archive.status();

            assertEquals(
                    Map.of(
                            SearchOutcome.FOUND, 2L,
                            SearchOutcome.NOTHING, 0L,
                            SearchOutcome.FAILED, 0L,
                            SearchOutcome.SKIPPED, 1L),
                    status.searches());
            assertEquals("memory://test", status.address());
            assertEquals("found", SearchOutcome.FOUND.word());
        }
    }

    @Test
    void storeMustRespondWithinTheTimeout() {
        Namespace namespace = new Namespace(digest("model"), Map.of());
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        new SharedArchiveSettings(
                                "memory://test",
                                namespace,
                                false,
                                Duration.ZERO,
                                Optional.empty()));
    }
}
