package dev.varve.contracts;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.api.snapshot.SharedStoreProvider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A minimal shared store for tests: a map in this process, shared by all stores opened at one
 * address. Values never expire.
 */
public final class MemorySharedStore implements SharedStore {
    /** Provider with the scheme {@code memory}. */
    public static final class Provider implements SharedStoreProvider {
        private static final Map<String, Map<String, byte[]>> ALL = new ConcurrentHashMap<>();

        /** Public for the service loader. */
        public Provider() {}

        @Override
        public List<String> schemes() {
            return List.of("memory");
        }

        @Override
        public SharedStore open(SharedStoreAddress address) {
            return new MemorySharedStore(
                    ALL.computeIfAbsent(address.shown(), name -> new ConcurrentHashMap<>()));
        }
    }

    private final Map<String, byte[]> values;
    private volatile boolean closed;

    /**
     * Creates a store over a map.
     *
     * @param values safe for several threads
     */
    public MemorySharedStore(Map<String, byte[]> values) {
        this.values = values;
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the store is closed");
        }
    }

    @Override
    public void get(List<String> keys, int mostBytes, Duration limit, Values taker)
            throws IOException {
        requireOpen();
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = values.getOrDefault(keys.get(i), new byte[0]);
            int count = Math.min(value.length, mostBytes + 1);
            if (!taker.take(i, ByteBuffer.wrap(value, 0, count).slice())) {
                return;
            }
        }
    }

    @Override
    public BitSet has(List<String> keys, Duration limit) throws IOException {
        requireOpen();
        BitSet found = new BitSet();
        for (int i = 0; i < keys.size(); i++) {
            found.set(i, values.containsKey(keys.get(i)));
        }
        return found;
    }

    @Override
    public void put(String key, ByteBuffer value, Duration limit) throws IOException {
        requireOpen();
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        values.put(key, bytes);
    }

    @Override
    public void mark(String key, int bit, Duration limit) throws IOException {
        requireOpen();
        values.compute(
                key,
                (any, before) -> {
                    int size = bit / Byte.SIZE + 1;
                    byte[] old = before == null ? new byte[0] : before;
                    byte[] bytes = Arrays.copyOf(old, Math.max(size, old.length));
                    bytes[size - 1] |= (byte) (0x80 >>> bit % Byte.SIZE);
                    return bytes;
                });
    }

    @Override
    public void touch(List<String> keys, Duration limit) throws IOException {
        requireOpen();
    }

    @Override
    public void deleteAll(String prefix, Duration limit) throws IOException {
        requireOpen();
        values.keySet().removeIf(key -> key.startsWith(prefix));
    }

    @Override
    public void ping(Duration limit) throws IOException {
        requireOpen();
    }

    @Override
    public void close() {
        closed = true;
    }
}
