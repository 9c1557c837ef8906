package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.store.ObjectKey;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A header of stored bytes is read as written, or rejected. Different prefixes have different keys.
 */
class StoredObjectHeaderTest {
    private static final int[] TOKENS = {7, -1, 60};
    private static final long[] SIZES = {96, 1L << 40};
    private static final StoredObjectHeader HEADER =
            new StoredObjectHeader(
                    TOKENS, 0x1234_5678_9abc_def0L, ChunkHistory.ofWindows(100, 350), SIZES, "ä");

    private static byte[] bytes(StoredObjectHeader header) {
        ByteBuffer encoded = header.encode();
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    private static Optional<StoredObjectHeader> read(byte[] bytes) {
        return StoredObjectHeader.decode(ByteBuffer.wrap(bytes));
    }

    @Test
    void headerRoundTrips() {
        StoredObjectHeader read = read(bytes(HEADER)).orElseThrow();

        assertArrayEquals(TOKENS, read.tokens());
        assertEquals(HEADER.chunkHistoryDigest(), read.chunkHistoryDigest());
        assertArrayEquals(HEADER.chunkHistory().numbers(), read.chunkHistory().numbers());
        assertEquals(350, read.chunkHistory().end());
        assertArrayEquals(SIZES, read.sizes());
        assertEquals("ä", read.origin());
    }

    @Test
    void emptyHeaderRoundTrips() {
        StoredObjectHeader none =
                new StoredObjectHeader(new int[0], 0, ChunkHistory.NONE, new long[0], "");

        StoredObjectHeader read = read(bytes(none)).orElseThrow();

        assertEquals(0, read.tokens().length);
        assertEquals(0, read.chunkHistory().end());
        assertTrue(read.fits(new int[0], new long[0]));
    }

    @Test
    void headerOfAnotherLengthIsInvalid() {
        byte[] bytes = bytes(HEADER);
        for (int length = 0; length < bytes.length + 2; length++) {
            assertEquals(
                    length == bytes.length,
                    read(Arrays.copyOf(bytes, length)).isPresent(),
                    length + " of " + bytes.length + " bytes");
        }
    }

    /** Lengths of the tokens, the cuts, the sizes and the text. */
    @Test
    void impossibleLengthsAreInvalid() {
        byte[] bytes = bytes(HEADER);
        int tokens = Long.BYTES;
        int cuts = tokens + Integer.BYTES * (1 + TOKENS.length);
        int sizes = cuts + Integer.BYTES * (1 + HEADER.chunkHistory().numbers().length);
        int text = sizes + Integer.BYTES + Long.BYTES * SIZES.length;
        for (int at : new int[] {tokens, cuts, sizes, text}) {
            for (int wrong : new int[] {-1, 1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                byte[] changed = bytes.clone();
                ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putInt(at, wrong);
                assertEquals(Optional.empty(), read(changed), wrong + " at " + at);
            }
        }
    }

    @Test
    void tooLongTextIsInvalid() {
        StoredObjectHeader large =
                new StoredObjectHeader(
                        TOKENS, 0, ChunkHistory.NONE, SIZES, "x".repeat((1 << 20) + 1));
        StoredObjectHeader most =
                new StoredObjectHeader(TOKENS, 0, ChunkHistory.NONE, SIZES, "x".repeat(1 << 20));

        assertEquals(Optional.empty(), read(bytes(large)));
        assertTrue(read(bytes(most)).isPresent());
    }

    @Test
    void headerMatchesOnlyItsTokensAndSizes() {
        assertTrue(HEADER.fits(TOKENS.clone(), SIZES.clone()));
        assertFalse(HEADER.fits(new int[] {7, -1, 61}, SIZES));
        assertFalse(HEADER.fits(TOKENS, new long[] {96, 1L << 41}));
        assertFalse(HEADER.fits(TOKENS, new long[] {96}));
    }

    private static final ChainKeys KEYS = new ChainKeys(new byte[] {1, 2});
    private static final ObjectKey ROOT = KEYS.root(CacheScope.common());

    @Test
    void keyIdentifiesAllTokensOfAScopeAndModel() {
        ObjectKey block = KEYS.block(ROOT, TOKENS);

        assertEquals(block, new ChainKeys(new byte[] {1, 2}).block(ROOT, TOKENS.clone()));
        assertNotEquals(ROOT, KEYS.root(new CacheScope("other")));
        assertNotEquals(ROOT, new ChainKeys(new byte[] {1, 3}).root(CacheScope.common()));
        assertNotEquals(block, KEYS.block(ROOT, new int[] {7, -1, 61}));
        assertNotEquals(block, KEYS.block(block, TOKENS));
    }

    @Test
    void keysOfAllKindsDiffer() {
        FeatureKind kind = new FeatureKind(List.of(1, 3), 8);
        assertNotEquals(KEYS.block(ROOT, TOKENS), KEYS.checkpoint(ROOT, TOKENS));
        assertNotEquals(
                KEYS.features(kind, ROOT), KEYS.features(new FeatureKind(List.of(1, 3), 9), ROOT));
        assertNotEquals(
                KEYS.features(kind, ROOT), KEYS.features(new FeatureKind(List.of(1, 4), 8), ROOT));
        assertEquals(
                KEYS.features(kind, ROOT), KEYS.features(new FeatureKind(List.of(1, 3), 8), ROOT));
        assertNotEquals(KEYS.features(kind, ROOT), KEYS.block(ROOT, new int[] {1, 3, 8}));
    }

    /** Keys of what earlier versions wrote stay what they are. */
    @Test
    void keysAreStable() {
        ChainKeys keys = new ChainKeys(new byte[0]);
        ObjectKey root = keys.root(CacheScope.common());
        assertEquals(sha256("varve scope "), root.toString());
        assertEquals(
                sha256("varve block ", root.bytes(), new byte[] {1, 0, 0, 0, 0, 1, 0, 0}),
                keys.block(root, new int[] {1, 256}).toString());
    }

    private static String sha256(String text, byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(text.getBytes(StandardCharsets.US_ASCII));
            for (byte[] part : parts) {
                digest.update(part);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
