package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.api.snapshot.SharedStoreProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Contract of shared stores. Several stores may be open at the address at once. */
@Timeout(60)
public abstract class SharedStoreContract {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LARGE = 1 << 20;
    private static final AtomicLong TESTS = new AtomicLong();

    /** Prefix of the keys of one test. */
    private final String own = "test:" + System.nanoTime() + ":" + TESTS.incrementAndGet() + ":";

    /** For extending classes. */
    protected SharedStoreContract() {}

    /** Creates a new provider. */
    protected abstract SharedStoreProvider provider();

    /** Returns the address of a store, always the same one. */
    protected abstract SharedStoreAddress address();

    private SharedStore open() {
        return provider().open(address());
    }

    @Test
    void constructorIsCheap() {
        ProviderRules.requireCheap(this::provider);
    }

    @Test
    void schemesAreStableWords() {
        SharedStoreProvider provider = provider();

        List<String> schemes = provider.schemes();

        assertFalse(schemes.isEmpty());
        schemes.forEach(ProviderRules::requireWord);
        assertEquals(schemes, provider.schemes());
        assertEquals(schemes, provider().schemes());
        assertTrue(schemes.contains(address().uri().getScheme()));
    }

    @Test
    void clientsSeeEachOthersValues() throws IOException {
        try (SharedStore one = open();
                SharedStore other = open()) {
            one.put(key(1), value(1, LARGE), LIMIT);
            one.put(key(2), value(2, 7), LIMIT);
            one.put(key(1), value(3, 100), LIMIT);

            List<ByteBuffer> found = get(other, LARGE, 1, 2, 3);

            assertEquals(value(3, 100), found.get(0));
            assertEquals(value(2, 7), found.get(1));
            assertFalse(found.get(2).hasRemaining());
        }
    }

    @Test
    void valuesArriveInKeyOrderUntilTheReaderStops() throws IOException {
        int count = 40;
        try (SharedStore store = open()) {
            for (int i = 0; i < count; i++) {
                store.put(key(i), value(i, 1000 + i), LIMIT);
            }
            List<String> keys = IntStream.range(0, count).mapToObj(this::key).toList();
            List<Integer> taken = new ArrayList<>();

            store.get(
                    keys,
                    LARGE,
                    LIMIT,
                    (index, value) -> {
                        assertEquals(value(index, 1000 + index), value);
                        taken.add(index);
                        return index < count / 2;
                    });

            assertEquals(IntStream.rangeClosed(0, count / 2).boxed().toList(), taken);
            assertEquals(value(3, 1003), get(store, LARGE, 3).getFirst());
        }
    }

    @Test
    void longValueIsReadToOneByteBeyondTheLimit() throws IOException {
        try (SharedStore store = open()) {
            store.put(key(1), value(1, LARGE), LIMIT);

            List<ByteBuffer> found = get(store, 100, 1);

            assertEquals(value(1, LARGE).limit(101), found.getFirst());
        }
    }

    @Test
    void buffersAreReadFromTheirPositionsAndLeftUnchanged() throws IOException {
        ByteBuffer value = ByteBuffer.allocateDirect(30);
        value.position(4).put(value(1, 20)).flip().position(4);
        try (SharedStore store = open()) {
            store.put(key(1), value, LIMIT);
            store.put(key(2), value.asReadOnlyBuffer(), LIMIT);

            assertEquals(4, value.position());
            assertEquals(24, value.limit());
            assertEquals(List.of(value(1, 20), value(1, 20)), get(store, 100, 1, 2));
        }
    }

    @Test
    void marksOfSeveralClientsAreAllStored() throws Exception {
        int bits = 256;
        try (SharedStore one = open();
                SharedStore other = open()) {
            CompletableFuture<Void> even = CompletableFuture.runAsync(() -> mark(one, 0, bits));
            mark(other, 1, bits);
            even.join();

            byte[] all = new byte[bits / Byte.SIZE];
            Arrays.fill(all, (byte) -1);
            byte[] found = new byte[all.length];
            get(one, bits, 1).getFirst().get(found);
            assertArrayEquals(all, found);
            one.mark(key(2), 9, LIMIT);
            assertEquals(ByteBuffer.wrap(new byte[] {0, 0x40}), get(other, bits, 2).getFirst());
        }
    }

    private void mark(SharedStore store, int first, int end) {
        try {
            for (int bit = first; bit < end; bit += 2) {
                store.mark(key(1), bit, LIMIT);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void existingKeysAreReportedAndDeleted() throws IOException {
        int count = 300;
        try (SharedStore store = open()) {
            for (int i = 0; i < count; i += 2) {
                store.put(key(i), value(i, 10), LIMIT);
            }
            store.put("other" + own, value(0, 10), LIMIT);
            List<String> keys = IntStream.range(0, count).mapToObj(this::key).toList();
            BitSet even = new BitSet();
            IntStream.range(0, count / 2).forEach(i -> even.set(2 * i));

            store.touch(keys, LIMIT);
            assertEquals(even, store.has(keys, LIMIT));
            store.deleteAll(own, LIMIT);

            assertEquals(new BitSet(), store.has(keys, LIMIT));
            assertTrue(store.has(List.of("other" + own), LIMIT).get(0));
            store.deleteAll("other" + own, LIMIT);
        }
    }

    @Test
    void closedStoreFailsAtOnceAndClosesTwice() throws IOException {
        SharedStore store = open();
        store.ping(LIMIT);

        store.close();
        store.close();

        assertThrows(IOException.class, () -> store.ping(LIMIT));
        assertThrows(IOException.class, () -> store.put(key(1), value(1, 1), LIMIT));
        assertThrows(IOException.class, () -> get(store, 1, 1));
    }

    private String key(int number) {
        return own + number;
    }

    private List<ByteBuffer> get(SharedStore store, int most, int... numbers) throws IOException {
        List<ByteBuffer> found = new ArrayList<>();
        store.get(
                IntStream.of(numbers).mapToObj(this::key).toList(),
                most,
                LIMIT,
                (index, value) -> {
                    assertEquals(found.size(), index);
                    ByteBuffer copy = ByteBuffer.allocate(value.remaining());
                    return found.add(copy.put(value).flip());
                });
        return found;
    }

    private static ByteBuffer value(long seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
