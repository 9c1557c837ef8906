package dev.varve.platform.handoff;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;

/** Tests the blocks that a prefill server keeps for others. */
class HandOffStoreTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private static void put(HandOffStore store, String key, int bytes) throws IOException {
        store.put(key, ByteBuffer.allocate(bytes), LIMIT);
    }

    @Test
    void leastRecentlyUsedValueIsEvicted() throws IOException {
        try (HandOffStore store = new HandOffStore(100)) {
            put(store, "a", 40);
            put(store, "b", 40);
            store.touch(List.of("a"), LIMIT);

            put(store, "c", 40);

            assertEquals(
                    BitSet.valueOf(new long[] {0b101}), store.existing(List.of("a", "b", "c")));
            assertEquals(80, store.used());
        }
    }

    @Test
    void replacedValueDoesNotCountTwice() throws IOException {
        try (HandOffStore store = new HandOffStore(100)) {
            put(store, "a", 80);
            store.put("a", ByteBuffer.wrap(new byte[] {1, 2, 3}), LIMIT);

            assertEquals(3, store.used());
            assertArrayEquals(new byte[] {1, 2, 3}, store.get("a", 10));
            assertArrayEquals(new byte[] {1, 2}, store.get("a", 1), "one more than the maximum");
        }
    }

    @Test
    void valueThatCannotFitIsRefused() {
        try (HandOffStore store = new HandOffStore(100)) {
            IOException error = assertThrows(IOException.class, () -> put(store, "a", 101));
            assertEquals("a value of 101 bytes exceeds the 100", error.getMessage());
        }
    }

    @Test
    void bitsAreMarked() throws IOException {
        try (HandOffStore store = new HandOffStore(100)) {
            store.mark("a", 9, LIMIT);
            store.mark("a", 0, LIMIT);

            assertArrayEquals(new byte[] {(byte) 0x80, 0x40}, store.get("a", 10));
        }
    }

    @Test
    void closedStoreRefuses() {
        HandOffStore store = new HandOffStore(100);
        store.close();
        store.close();

        assertThrows(IOException.class, () -> put(store, "a", 1));
    }
}
