package dev.varve.platform.engine;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.contracts.MemorySharedStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/** A shared store that fails on demand. */
final class FaultySharedStore implements SharedStore {
    private final MemorySharedStore sound;
    private volatile boolean fails;
    private volatile boolean failsToRead;

    FaultySharedStore(Map<String, byte[]> values) {
        sound = new MemorySharedStore(values);
    }

    /** Sets whether every call fails. */
    void fails(boolean now) {
        fails = now;
    }

    /** Sets whether reads of existing parts fail. */
    void failsToRead(boolean now) {
        failsToRead = now;
    }

    private void meet() throws IOException {
        if (fails) {
            throw new IOException("the store is gone");
        }
    }

    @Override
    public void get(List<String> keys, int mostBytes, Duration limit, Values taker)
            throws IOException {
        meet();
        if (failsToRead && keys.getFirst().endsWith(":0")) {
            throw new IOException("the store went away");
        }
        sound.get(keys, mostBytes, limit, taker);
    }

    @Override
    public BitSet has(List<String> keys, Duration limit) throws IOException {
        meet();
        return sound.has(keys, limit);
    }

    @Override
    public void put(String key, ByteBuffer value, Duration limit) throws IOException {
        meet();
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
        sound.close();
    }
}
