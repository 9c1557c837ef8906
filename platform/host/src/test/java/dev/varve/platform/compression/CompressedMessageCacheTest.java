package dev.varve.platform.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class CompressedMessageCacheTest {
    private static final CompressionFingerprint DRAFTER =
            CompressionFingerprint.of(List.of("drafter"));

    private static MessageKey key(int... ids) {
        return MessageKey.of(DRAFTER, ids);
    }

    private static final int ENTRY = CompressedMessageCache.OVERHEAD_BYTES + 2 * 100;

    private static String text(int number) {
        return Integer.toString(number).repeat(100).substring(0, 100);
    }

    @Test
    void equalMessagesShareAKeyAndOthersDoNot() {
        assertEquals(key(1, 2, 3), key(1, 2, 3));
        assertNotEquals(key(1, 2, 3), key(1, 2, 4));
        assertNotEquals(key(1, 2, 3), key(1, 2));
        assertNotEquals(key(0), key(0, 0));
        assertNotEquals(key(0), key());
        assertNotEquals(key(2, 5), key(2, 5, 0));
        assertEquals(64, key(1).hex().length());
    }

    @Test
    void messageWithoutTokensHasTheZeroKey() {
        assertEquals("0".repeat(64), key().hex());
    }

    /** So that a key means the same in all versions: a text may be kept with a session. */
    @Test
    void keyIsTheHashOfItsFingerprintAndItsTokens() {
        assertEquals(
                // printf 'f\x02\0\0\0\x07\0\0\0\x00\x01\0\0' | sha256sum
                "0f058b971e065d2c21a45a23c7c09276cb367fca74a7cada53fcf66646f79ff8",
                MessageKey.of(new CompressionFingerprint("f"), new int[] {7, 256}).hex());
    }

    @Test
    void otherCompressionSettingsHaveOtherKeys() {
        assertNotEquals(
                MessageKey.of(CompressionFingerprint.of(List.of("ab", "c")), new int[] {1}),
                MessageKey.of(CompressionFingerprint.of(List.of("a", "bc")), new int[] {1}));
        assertEquals(
                CompressionFingerprint.of(
                        List.of(KeepCurve.USUAL, MessageCompressionSettings.USUAL)),
                CompressionFingerprint.of(
                        List.of(
                                KeepCurve.parse(List.of("0:0.05")),
                                new MessageCompressionSettings(2, 8_192, 4_096))));
        assertNotEquals(
                CompressionFingerprint.of(List.of(KeepCurve.USUAL)),
                CompressionFingerprint.of(List.of(KeepCurve.parse(List.of("0:0.06")))));
    }

    @Test
    void textIsFoundUntilEvicted() {
        CompressedMessageCache texts = new CompressedMessageCache(3 * ENTRY);
        for (int i = 0; i < 3; i++) {
            texts.put(key(i), text(i));
        }
        assertEquals(Optional.of(text(0)), texts.find(key(0)));

        texts.put(key(3), text(3));

        assertEquals(Optional.empty(), texts.find(key(1)));
        assertEquals(Optional.of(text(0)), texts.find(key(0)));
        assertEquals(Optional.of(text(2)), texts.find(key(2)));
        assertEquals(3, texts.count());
        assertEquals(3 * ENTRY, texts.bytes());
    }

    @Test
    void longTextEvictsSeveral() {
        CompressedMessageCache texts = new CompressedMessageCache(3 * ENTRY);
        for (int i = 0; i < 3; i++) {
            texts.put(key(i), text(i));
        }

        texts.put(key(9), "x".repeat(200));

        assertEquals(2, texts.count());
        assertTrue(texts.find(key(9)).isPresent());
        assertTrue(texts.bytes() <= 3 * ENTRY);
    }

    @Test
    void tooLongTextIsNotCachedAndEvictsNothing() {
        CompressedMessageCache texts = new CompressedMessageCache(ENTRY);
        texts.put(key(1), text(1));

        assertEquals("x".repeat(101), texts.put(key(2), "x".repeat(101)));

        assertEquals(Optional.empty(), texts.find(key(2)));
        assertEquals(Optional.of(text(1)), texts.find(key(1)));
        assertEquals("x", new CompressedMessageCache(0).put(key(1), "x"));
    }

    @Test
    void firstTextOfAMessageIsKept() {
        CompressedMessageCache texts = new CompressedMessageCache(10 * ENTRY);

        assertEquals("first", texts.put(key(1), "first"));
        assertEquals("first", texts.put(key(1), "second"));

        assertEquals(Optional.of("first"), texts.find(key(1)));
        assertEquals(1, texts.count());
    }

    @Test
    void clearedTextsLeaveNothing() {
        CompressedMessageCache texts = new CompressedMessageCache(10 * ENTRY);
        texts.put(key(1), "x");

        texts.clear();

        assertEquals(0, texts.count());
        assertEquals(0, texts.bytes());
        assertEquals(Optional.empty(), texts.find(key(1)));
    }

    @Test
    void concurrentThreadsGetTheSameTexts() throws InterruptedException, ExecutionException {
        CompressedMessageCache texts = new CompressedMessageCache(20 * ENTRY);
        List<Future<Boolean>> outcomes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int thread = 0; thread < 4; thread++) {
                int first = thread;
                outcomes.add(
                        threads.submit(
                                () -> {
                                    boolean right = true;
                                    for (int i = 0; i < 4000; i++) {
                                        int id = (first * 7 + i * 13) % 40;
                                        right &= texts.put(key(id), text(id)).equals(text(id));
                                        right &= texts.bytes() <= 20 * ENTRY;
                                    }
                                    return right;
                                }));
            }
        }
        for (Future<Boolean> outcome : outcomes) {
            assertTrue(outcome.get());
        }
        assertEquals(20, texts.count());
        assertEquals(20 * ENTRY, texts.bytes());
    }

    @Test
    void memoryIsNotNegative() {
        assertThrows(IllegalArgumentException.class, () -> new CompressedMessageCache(-1));
    }
}
