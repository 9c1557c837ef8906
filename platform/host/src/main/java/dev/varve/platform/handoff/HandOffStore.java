package dev.varve.platform.handoff;

import dev.varve.api.ggml.HostMemory;
import dev.varve.api.snapshot.SharedStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Blocks that a prefill server has computed, in memory outside the Java heap, until decode servers
 * have read them. The least recently used values are evicted if it is full. Thread-safe.
 */
final class HandOffStore implements SharedStore {
    private final long capacity;

    /** Guarded by this object, like the fields below. */
    private final Map<String, HostMemory> values = new LinkedHashMap<>(16, 0.75f, true);

    private long used;
    private boolean closed;

    /**
     * @param capacity maximum bytes of all values
     */
    HandOffStore(long capacity) {
        this.capacity = capacity;
    }

    long capacity() {
        return capacity;
    }

    /** Bytes of all values. */
    synchronized long used() {
        return used;
    }

    /** Returns the first bytes of a value, one more than {@code mostBytes} at most. */
    synchronized byte[] get(String key, int mostBytes) {
        HostMemory value = values.get(key);
        if (value == null) {
            return new byte[0];
        }
        byte[] copy = new byte[(int) Math.min(size(value), mostBytes + 1L)];
        value.bytes().get(copy);
        return copy;
    }

    @Override
    public void get(List<String> keys, int mostBytes, Duration limit, Values taker)
            throws IOException {
        requireOpen();
        for (int i = 0; i < keys.size(); i++) {
            if (!taker.take(i, ByteBuffer.wrap(get(keys.get(i), mostBytes)))) {
                return;
            }
        }
    }

    synchronized BitSet existing(List<String> keys) {
        BitSet found = new BitSet();
        for (int i = 0; i < keys.size(); i++) {
            found.set(i, values.containsKey(keys.get(i)));
        }
        return found;
    }

    @Override
    public BitSet has(List<String> keys, Duration limit) throws IOException {
        requireOpen();
        return existing(keys);
    }

    @Override
    public synchronized void put(String key, ByteBuffer value, Duration limit) throws IOException {
        requireOpen();
        if (value.remaining() > capacity) {
            throw new IOException(
                    "a value of " + value.remaining() + " bytes exceeds the " + capacity);
        }
        remove(key);
        evict(value.remaining());
        HostMemory added = HostMemory.allocate(value.remaining());
        added.bytes().put(value.duplicate());
        used += size(added);
        values.put(key, added);
    }

    private void remove(String key) {
        HostMemory before = values.remove(key);
        if (before != null) {
            free(before);
        }
    }

    private void free(HostMemory value) {
        used -= size(value);
        value.close();
    }

    private static int size(HostMemory value) {
        return value.bytes().capacity();
    }

    private void evict(long needed) {
        Iterator<HostMemory> oldest = values.values().iterator();
        while (used + needed > capacity) {
            HostMemory evicted = oldest.next();
            oldest.remove();
            free(evicted);
        }
    }

    @Override
    public synchronized void mark(String key, int bit, Duration limit) throws IOException {
        byte[] before = get(key, Integer.MAX_VALUE - Long.BYTES);
        byte[] after = Arrays.copyOf(before, Math.max(before.length, bit / Byte.SIZE + 1));
        after[bit / Byte.SIZE] |= (byte) (0x80 >>> bit % Byte.SIZE);
        put(key, ByteBuffer.wrap(after), limit);
    }

    @Override
    public synchronized void touch(List<String> keys, Duration limit) throws IOException {
        requireOpen();
        keys.forEach(values::get);
    }

    @Override
    public synchronized void deleteAll(String prefix, Duration limit) throws IOException {
        requireOpen();
        values.keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .toList()
                .forEach(this::remove);
    }

    @Override
    public void ping(Duration limit) throws IOException {
        requireOpen();
    }

    private synchronized void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the store is closed");
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        List.copyOf(values.keySet()).forEach(this::remove);
    }
}
