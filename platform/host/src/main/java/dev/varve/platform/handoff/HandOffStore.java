package dev.varve.platform.handoff;

import dev.varve.api.snapshot.SharedStore;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
    private final Map<String, Value> values = new LinkedHashMap<>(16, 0.75f, true);

    private long used;
    private boolean closed;

    /** A value and the memory that it owns. */
    private record Value(Arena arena, MemorySegment bytes) {
        static Value of(ByteBuffer source) {
            Arena arena = Arena.ofShared();
            MemorySegment bytes = arena.allocate(source.remaining());
            bytes.copyFrom(MemorySegment.ofBuffer(source));
            return new Value(arena, bytes);
        }

        byte[] copy(int mostBytes) {
            byte[] copy = new byte[(int) Math.min(bytes.byteSize(), mostBytes + 1L)];
            MemorySegment.copy(bytes, 0, MemorySegment.ofArray(copy), 0, copy.length);
            return copy;
        }

        void free() {
            arena.close();
        }
    }

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
        Value value = values.get(key);
        return value == null ? new byte[0] : value.copy(mostBytes);
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
        Value added = Value.of(value.duplicate());
        used += added.bytes().byteSize();
        values.put(key, added);
    }

    private void remove(String key) {
        Value before = values.remove(key);
        if (before != null) {
            used -= before.bytes().byteSize();
            before.free();
        }
    }

    private void evict(long needed) {
        Iterator<Value> oldest = values.values().iterator();
        while (used + needed > capacity) {
            Value evicted = oldest.next();
            oldest.remove();
            used -= evicted.bytes().byteSize();
            evicted.free();
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
