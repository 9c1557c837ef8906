package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.checkpoint;
import static dev.varve.platform.store.ArchiveFixture.features;
import static dev.varve.platform.store.ArchiveFixture.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Preambles, heads and journal entries are read as they were written, or rejected. */
class ObjectBytesTest {
    private static final ObjectDescriptor NAME = block("a/b");

    private static ByteBuffer preamble(ObjectPreamble preamble) {
        ByteBuffer bytes = ByteBuffer.allocate(ObjectPreamble.BYTES);
        preamble.put(bytes);
        assertEquals(0, bytes.remaining());
        return bytes.flip();
    }

    static Stream<ObjectDescriptor> names() {
        return Stream.of(NAME, block("a"), checkpoint("a", 0), checkpoint("", 1), features(NAME));
    }

    @ParameterizedTest
    @MethodSource("names")
    void preambleRoundTrips(ObjectDescriptor name) {
        ObjectPreamble preamble = new ObjectPreamble(name, 77, 123_456_789_012L);

        assertEquals(Optional.of(preamble), ObjectPreamble.read(name.key(), preamble(preamble)));
        assertEquals(ObjectPreamble.BYTES + 77 + 123_456_789_012L, preamble.bytes());
    }

    @Test
    void preambleIsReadWithoutTheBytesBehindIt() {
        ObjectPreamble preamble = new ObjectPreamble(NAME, 0, 0);
        ByteBuffer bytes = ByteBuffer.allocate(ObjectPreamble.BYTES + 5);
        preamble.put(bytes);
        bytes.clear();

        assertEquals(Optional.of(preamble), ObjectPreamble.read(NAME.key(), bytes));
        assertEquals(5, bytes.remaining());
    }

    /** Magic, format, kind, position, tail, bytes of the header and of the payload. */
    @ParameterizedTest
    @CsvSource({
        "0, 1", "4, 2", "40, -1", "40, 3", "44, 0", "44, -5", "44, 255", "48, -1", "48, 513",
        "52, -1", "56, -1", "56, 257"
    })
    void impossiblePreambleIsInvalid(int at, int value) {
        ByteBuffer bytes = preamble(new ObjectPreamble(NAME, 10, 10));

        bytes.putInt(at, value);

        assertEquals(Optional.empty(), ObjectPreamble.read(NAME.key(), bytes));
    }

    @ParameterizedTest
    @CsvSource({"44, 256", "44, 600", "48, 0", "48, 512", "52, 0", "56, 0", "56, 255", "40, 2"})
    void numbersAtTheirBoundsAreValid(int at, int value) {
        ByteBuffer bytes = preamble(new ObjectPreamble(NAME, 10, 10));

        bytes.putInt(at, value);

        assertTrue(ObjectPreamble.read(NAME.key(), bytes).isPresent());
    }

    @Test
    void truncatedPreambleIsInvalid() {
        ByteBuffer bytes = preamble(new ObjectPreamble(NAME, 10, 10));

        assertEquals(
                Optional.empty(),
                ObjectPreamble.read(NAME.key(), bytes.limit(ObjectPreamble.BYTES - 1)));
    }

    private static ByteBuffer head(byte[] name, long bytes) {
        ByteBuffer head = ByteBuffer.allocate(2 * Integer.BYTES + 16 + Long.BYTES);
        SharedObjectManifest.put(name, bytes, head);
        return head.flip();
    }

    @Test
    void headRoundTripsAndNamesItsParts() {
        byte[] name = new byte[SharedObjectManifest.NAME_BYTES];
        byte[] other = name.clone();
        other[15] = 1;

        SharedObjectManifest head =
                SharedObjectManifest.read(NAME.key(), head(name, 5)).orElseThrow();

        assertEquals(SharedObjectManifest.of(NAME.key(), name, 5), head);
        assertEquals(NAME.key(), head.key());
        assertEquals(5, head.bytes());
        assertNotEquals(head.content(), SharedObjectManifest.of(NAME.key(), other, 5).content());
        assertNotEquals(head.content(), SharedObjectManifest.of(key("other"), name, 5).content());
    }

    @Test
    void impossibleHeadIsInvalid() {
        byte[] name = new byte[SharedObjectManifest.NAME_BYTES];
        assertEquals(Optional.empty(), SharedObjectManifest.read(NAME.key(), head(name, 0)));
        assertEquals(Optional.empty(), SharedObjectManifest.read(NAME.key(), head(name, -1)));
        assertTrue(SharedObjectManifest.read(NAME.key(), head(name, 1)).isPresent());
        assertEquals(
                Optional.empty(),
                SharedObjectManifest.read(NAME.key(), head(name, 1).putInt(0, 7)));
        assertEquals(
                Optional.empty(),
                SharedObjectManifest.read(NAME.key(), head(name, 1).putInt(4, 2)));
        assertEquals(
                Optional.empty(), SharedObjectManifest.read(NAME.key(), head(name, 1).limit(31)));
        assertEquals(
                Optional.empty(), SharedObjectManifest.read(NAME.key(), ByteBuffer.allocate(33)));
    }

    static Stream<JournalEntry> entries() {
        return Stream.of(
                new JournalEntry.Added(NAME, 1L << 40, 3, 7, 1L << 50),
                new JournalEntry.Added(checkpoint("a", 5), 1, 1, 0, 0),
                new JournalEntry.Used(NAME.key(), 9, 1L << 50),
                new JournalEntry.Lost(NAME.key()),
                new JournalEntry.Gone(5));
    }

    private static byte[] bytes(JournalEntry entry) {
        ByteBuffer bytes = ByteBuffer.allocate(JournalEntry.MOST_BYTES);
        entry.put(bytes);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    @ParameterizedTest
    @MethodSource("entries")
    void entryRoundTrips(JournalEntry entry) {
        assertEquals(Optional.of(entry), JournalEntry.read(ByteBuffer.wrap(bytes(entry))));
    }

    @ParameterizedTest
    @MethodSource("entries")
    void entryOfAnotherLengthIsInvalid(JournalEntry entry) {
        byte[] bytes = bytes(entry);
        for (int length = 0; length <= bytes.length + 1; length++) {
            assertEquals(
                    length == bytes.length,
                    JournalEntry.read(ByteBuffer.wrap(Arrays.copyOf(bytes, length))).isPresent(),
                    length + " of " + bytes.length + " bytes");
        }
    }

    @Test
    void entryOfAnUnknownKindIsInvalid() {
        assertEquals(Optional.empty(), JournalEntry.read(ByteBuffer.wrap(new byte[] {5, 0})));
        byte[] added = bytes(entries().findFirst().orElseThrow());
        // The kind of the object, and a position before its tail.
        for (int at : List.of(1 + 2 * ObjectKey.BYTES + 3, 1 + 2 * ObjectKey.BYTES + 11)) {
            byte[] wrong = added.clone();
            wrong[at - 3] = 9;
            assertEquals(Optional.empty(), JournalEntry.read(ByteBuffer.wrap(wrong)), "at " + at);
        }
    }

    @Test
    void keyHasAllBytesOfADigest() {
        assertThrows(IllegalArgumentException.class, () -> ObjectKey.of(new byte[31]));
        assertThrows(IllegalArgumentException.class, () -> ObjectKey.of(new byte[33]));
        byte[] bytes = new byte[32];
        bytes[31] = 10;
        ObjectKey key = ObjectKey.of(bytes);
        assertEquals("00".repeat(31) + "0a", key.toString());
        bytes[0] = 1;
        assertEquals(0, key.bytes()[0], "it has a copy");
        key.bytes()[0] = 1;
        assertEquals(0, key.bytes()[0], "it gives copies");
        bytes[0] = 0;
        assertEquals(key, ObjectKey.of(bytes));
        assertEquals(key.hashCode(), ObjectKey.of(bytes).hashCode());
        bytes[3] = 1;
        assertNotEquals(key, ObjectKey.of(bytes));
        assertNotEquals(key.hashCode(), ObjectKey.of(bytes).hashCode());
    }

    @Test
    void nameHasAsManyTokensAsItsTail() {
        ObjectKey key = key("x");
        assertThrows(
                IllegalArgumentException.class,
                () -> new ObjectDescriptor(key, key, ObjectKind.BLOCK, 5, 6));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ObjectDescriptor(key, key, ObjectKind.BLOCK, 0, 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ObjectDescriptor(key, key, ObjectKind.BLOCK, 5, -1));
        assertTrue(new ObjectDescriptor(key, key, ObjectKind.BLOCK, 5, 5).isFirst());
        assertEquals(false, new ObjectDescriptor(key, key, ObjectKind.BLOCK, 5, 4).isFirst());
    }
}
