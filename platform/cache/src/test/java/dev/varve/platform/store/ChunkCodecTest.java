package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.digest;
import static dev.varve.platform.store.ArchiveFixture.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;

/** A chunk is what was written of its object and part, or it is none. */
class ChunkCodecTest {
    private static final int VALUE = 4096;
    private static final ObjectKey KEY = key("object");

    @TempDir private Path folder;

    private Optional<ChunkCipher> cipher(boolean encrypted) throws IOException {
        return encrypted
                ? Optional.of(ChunkCipher.of(Files.write(folder.resolve("key"), digest("key"))))
                : Optional.empty();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] encoded(ChunkCodec codec, ObjectKey object, int part, byte[] content) {
        codec.content().put(content);
        codec.endContent();
        ByteBuffer used = codec.used(codec.encode(object, part));
        byte[] value = new byte[used.remaining()];
        used.get(value);
        return value;
    }

    private static Optional<ByteBuffer> decoded(
            ChunkCodec codec, ObjectKey object, int part, byte[] value) {
        return codec.decode(object, part, ByteBuffer.wrap(value));
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "false, 4088", "true, 1", "true, 4060"})
    void encodedBytesRoundTrip(boolean encrypted, int length) throws IOException {
        ChunkCodec codec = new ChunkCodec(VALUE, cipher(encrypted));
        byte[] content = bytes(length);

        byte[] value = encoded(codec, KEY, 3, content);

        assertEquals(length + 8 + (encrypted ? 28 : 0), value.length);
        assertEquals(Optional.of(ByteBuffer.wrap(content)), decoded(codec, KEY, 3, value));
    }

    /** The rest of a value of a store only fills it up. */
    @Test
    void wholeStoreValueIsDecodedToo() throws IOException {
        ChunkCodec codec = new ChunkCodec(VALUE, cipher(false));
        byte[] value = encoded(codec, KEY, 3, bytes(100));

        codec.value().put(value);

        assertEquals(Optional.of(ByteBuffer.wrap(bytes(100))), codec.decode(KEY, 3));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void chunkAtAnotherPositionIsRefused(boolean encrypted) throws IOException {
        ChunkCodec codec = new ChunkCodec(VALUE, cipher(encrypted));
        byte[] value = encoded(codec, KEY, 3, bytes(100));

        assertEquals(Optional.empty(), decoded(codec, KEY, 4, value));
        assertEquals(Optional.empty(), decoded(codec, key("another"), 3, value));
    }

    @Test
    void anyChangedBitIsDetected() throws IOException {
        ChunkCodec codec = new ChunkCodec(VALUE, cipher(false));
        byte[] value = encoded(codec, KEY, 3, bytes(100));
        for (int bit = 0; bit < 8 * value.length; bit++) {
            value[bit / 8] ^= (byte) (1 << bit % 8);
            assertEquals(Optional.empty(), decoded(codec, KEY, 3, value), "bit " + bit);
            value[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    @Test
    void valueOfAnotherLengthIsRefused() throws IOException {
        ChunkCodec codec = new ChunkCodec(VALUE, cipher(false));
        byte[] value = encoded(codec, KEY, 3, bytes(100));
        for (int length = 0; length < value.length + 3; length++) {
            byte[] other = Arrays.copyOf(value, length);
            assertEquals(
                    length == value.length,
                    decoded(codec, KEY, 3, other).isPresent(),
                    length + " bytes");
        }
        assertEquals(Optional.empty(), decoded(codec, KEY, 3, new byte[VALUE + 1]));
        assertEquals(Optional.empty(), decoded(codec, KEY, 3, new byte[VALUE]));
    }

    @Test
    void valueOfAnotherKeyIsRefused() throws IOException {
        ChunkCodec codec = new ChunkCodec(VALUE, cipher(true));
        Path other = Files.write(folder.resolve("other"), digest("other key"));
        ChunkCodec stranger = new ChunkCodec(VALUE, Optional.of(ChunkCipher.of(other)));
        byte[] value = encoded(codec, KEY, 3, bytes(100));

        assertEquals(Optional.empty(), decoded(stranger, KEY, 3, value));
        // Each time under another nonce.
        assertFalse(Arrays.equals(value, encoded(codec, KEY, 3, bytes(100))));
    }

    /** Each time under another nonce, and bound to a name. */
    @Test
    void encryptedValueIsReadUnderItsNameOnly() throws IOException {
        ChunkCipher cipher = cipher(true).orElseThrow();
        byte[] name = {1, 2, 3};
        ByteBuffer first = ByteBuffer.allocate(10 + ChunkCipher.OVERHEAD);
        ByteBuffer second = ByteBuffer.allocate(10 + ChunkCipher.OVERHEAD);
        cipher.encrypt(name, ByteBuffer.wrap(bytes(10)), first);
        cipher.encrypt(name, ByteBuffer.wrap(bytes(10)), second);

        assertFalse(Arrays.equals(first.array(), 0, 12, second.array(), 0, 12), "the nonce");
        ByteBuffer plain = ByteBuffer.allocate(10);
        assertTrue(cipher.decrypt(name, first.flip(), plain));
        assertEquals(ByteBuffer.wrap(bytes(10)), plain.flip());
        assertFalse(cipher.decrypt(new byte[] {1, 2, 4}, second.flip(), ByteBuffer.allocate(10)));
        second.rewind();
        assertFalse(
                cipher.decrypt(
                        name, second.limit(ChunkCipher.OVERHEAD - 1), ByteBuffer.allocate(10)));
    }

    @Test
    void emptyValueIsEncrypted() throws IOException {
        ChunkCipher cipher = cipher(true).orElseThrow();
        ByteBuffer encrypted = ByteBuffer.allocate(ChunkCipher.OVERHEAD);
        cipher.encrypt(new byte[1], ByteBuffer.allocate(0), encrypted);

        assertTrue(cipher.decrypt(new byte[1], encrypted.flip(), ByteBuffer.allocate(0)));
    }

    @Test
    void objectHasAsManyChunksAsItNeeds() throws IOException {
        ChunkCodec plain = new ChunkCodec(VALUE, cipher(false));
        ChunkCodec encrypted = new ChunkCodec(VALUE, cipher(true));

        assertEquals(4088, plain.capacity());
        assertEquals(4060, encrypted.capacity());
        assertEquals(0, plain.chunks(0));
        assertEquals(1, plain.chunks(1));
        assertEquals(1, plain.chunks(4088));
        assertEquals(2, plain.chunks(4089));
        assertEquals(2, encrypted.chunks(4061));
    }

    /** Of blocks of all sizes little is wasted, and there are not too many values. */
    @ParameterizedTest
    @ValueSource(
            longs = {1, 1000, 6000, 32 << 10, 128 << 10, 1 << 20, 3_000_001, 16 << 20, 1L << 30})
    void valuesFitTheBlocks(long block) throws IOException {
        int value = ChunkCodec.valueBytes(block);
        ChunkCodec codec = new ChunkCodec(value, cipher(true));

        long stored = block + 4096;
        long taken = (long) codec.chunks(stored) * value;
        assertTrue(value >= 4096 && value <= (128 << 10) + 256, "values of " + value);
        assertEquals(0, value % 64);
        assertTrue(codec.chunks(stored) <= Math.max(16, stored >> 17) + 1, "too many values");
        assertTrue(taken <= stored + stored / 8 + 4096, taken + " bytes for " + stored);
        if (block >= 128 << 10) {
            assertTrue(codec.chunks(stored) >= 16, codec.chunks(stored) + " values");
        }
    }

    @Test
    void keyIsReadRawInHexOrInBase64() throws IOException {
        byte[] key = digest("key");
        String id = ChunkCipher.of(Files.write(folder.resolve("raw"), key)).id();

        String hex = HexFormat.of().formatHex(key);
        String base64 = Base64.getEncoder().encodeToString(key);
        for (String text : new String[] {hex, hex + "\n", base64, " " + base64 + "\r\n"}) {
            Path file = Files.writeString(folder.resolve("text"), text);
            assertEquals(id, ChunkCipher.of(file).id(), text);
        }
        byte[] other = digest("other");
        String otherId = ChunkCipher.of(Files.write(folder.resolve("raw"), other)).id();
        assertFalse(id.equals(otherId));
        assertEquals(16, id.length());
        assertFalse(hex.contains(id), "the id tells something of the key");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "my secret",
                "0123456789012345678901234567890",
                "zz23456789012345678901234567890101234567890123456789012345678901",
                "QUJD"
            })
    void invalidKeyIsRefusedAndNotShown(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("bad"), text, StandardCharsets.US_ASCII);

        VarveException thrown = assertThrows(VarveException.class, () -> ChunkCipher.of(file));

        assertEquals(VarveException.Kind.CORRUPT_FILE, thrown.kind());
        assertTrue(thrown.getMessage().contains(text.length() + " bytes"), thrown.getMessage());
        assertTrue(thrown.getMessage().contains("bad"), thrown.getMessage());
        assertTrue(text.isEmpty() || !thrown.getMessage().contains(text), thrown.getMessage());
    }

    @Test
    void missingKeyFileIsNamed() {
        VarveException thrown =
                assertThrows(VarveException.class, () -> ChunkCipher.of(folder.resolve("missing")));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, thrown.kind());
        assertTrue(thrown.getMessage().contains("missing"), thrown.getMessage());
    }
}
