package dev.varve.plugin.chronicle.map;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.StoreSize;

import net.openhft.chronicle.hash.Data;
import net.openhft.chronicle.hash.locks.InterProcessDeadLockException;
import net.openhft.chronicle.map.ExternalMapQueryContext;
import net.openhft.chronicle.map.MapEntry;
import net.openhft.chronicle.map.MapSegmentContext;
import net.openhft.chronicle.map.VanillaChronicleMap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;

/** A store in one map. Reads are concurrent; a write waits for other writes and for reads. */
final class MapStore implements SnapshotStore {
    private final StoreFiles folder;
    private final StoreSize size;
    private final VanillaChronicleMap<byte[], byte[], ?> map;
    private final Optional<DiskRoom> room;
    private final ReadWriteLock use = new ReentrantReadWriteLock();
    private final Lock writing = new ReentrantLock();
    private boolean closed;

    /**
     * Creates a store in a map.
     *
     * @param room disk space for a writer
     */
    MapStore(
            StoreFiles folder,
            StoreSize size,
            VanillaChronicleMap<byte[], byte[], ?> map,
            Optional<DiskRoom> room) {
        this.folder = folder;
        this.size = size;
        this.map = map;
        this.room = room;
    }

    /** An operation on the open map. */
    private interface Use<T> {
        T of(VanillaChronicleMap<byte[], byte[], ?> map) throws IOException;
    }

    /** Forwards keys, and records whether the receiver failed. */
    private static final class KeyConsumer implements Consumer<MapEntry<byte[], byte[]>> {
        private final Consumer<ByteBuffer> consumer;
        private boolean failed;

        KeyConsumer(Consumer<ByteBuffer> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void accept(MapEntry<byte[], byte[]> entry) {
            ByteBuffer key = ByteBuffer.wrap(entry.key().get()).asReadOnlyBuffer();
            failed = true;
            consumer.accept(key);
            failed = false;
        }
    }

    private <T> T use(Use<T> work) throws IOException {
        use.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException(folder + " is closed");
            }
            return work.of(map);
        } catch (InterProcessDeadLockException e) {
            throw new IOException(
                    folder + ": a killed process left the store locked; it needs a repair", e);
        } finally {
            use.readLock().unlock();
        }
    }

    private <T> T write(Use<T> work) throws IOException {
        return use(
                open -> {
                    if (room.isEmpty()) {
                        throw new IOException(folder + " is open only for reading");
                    }
                    writing.lock();
                    try {
                        return work.of(open);
                    } finally {
                        writing.unlock();
                    }
                });
    }

    @Override
    public boolean put(ByteBuffer key, ByteBuffer value) throws IOException {
        byte[] name = name(key);
        if (value.remaining() != size.valueBytes()) {
            throw refused("a value", size.valueBytes(), value);
        }
        BufferData data = new BufferData(value);
        return write(
                open -> {
                    long entries = open.longSize();
                    room.orElseThrow().take(Math.min(entries + 1, size.values()));
                    try (ExternalMapQueryContext<byte[], byte[], ?> query =
                            open.queryContext(name)) {
                        query.updateLock().lock();
                        MapEntry<byte[], byte[]> entry = query.entry();
                        if (entry != null) {
                            entry.doReplaceValue(data);
                            return true;
                        }
                        if (entries >= size.values()) {
                            return false;
                        }
                        query.absentEntry().doInsert(data);
                        return true;
                    }
                });
    }

    @Override
    public boolean get(ByteBuffer key, ByteBuffer target) throws IOException {
        byte[] name = name(key);
        if (target.remaining() > size.valueBytes()) {
            throw refused("at most", size.valueBytes(), target);
        }
        if (target.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
        return use(
                open -> {
                    try (ExternalMapQueryContext<byte[], byte[], ?> query =
                            open.queryContext(name)) {
                        query.readLock().lock();
                        MapEntry<byte[], byte[]> entry = query.entry();
                        if (entry == null) {
                            return false;
                        }
                        Data<byte[]> value = entry.value();
                        BufferData.read(value.bytes().addressForRead(value.offset()), target);
                        return true;
                    }
                });
    }

    @Override
    public boolean delete(ByteBuffer key) throws IOException {
        byte[] name = name(key);
        return write(
                open -> {
                    try (ExternalMapQueryContext<byte[], byte[], ?> query =
                            open.queryContext(name)) {
                        query.updateLock().lock();
                        MapEntry<byte[], byte[]> entry = query.entry();
                        if (entry == null) {
                            return false;
                        }
                        entry.doRemove();
                        return true;
                    }
                });
    }

    @Override
    public void keys(Consumer<ByteBuffer> consumer) throws IOException {
        use(
                open -> {
                    writing.lock(); // a write would time out because of a slow receiver
                    KeyConsumer keys = new KeyConsumer(consumer);
                    try (MapSegmentContext<byte[], byte[], ?> segment = open.segmentContext(0)) {
                        segment.forEachSegmentEntry(keys);
                        return true;
                    } catch (IllegalStateException e) {
                        if (keys.failed) {
                            throw e;
                        }
                        throw new IOException(folder + " is damaged: " + e, e);
                    } finally {
                        writing.unlock();
                    }
                });
    }

    @Override
    public long size() {
        use.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException(folder + " is closed");
            }
            return map.longSize();
        } finally {
            use.readLock().unlock();
        }
    }

    @Override
    public void close() throws IOException {
        use.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            try (folder) {
                map.close();
                if (room.isPresent()) {
                    room.get().close();
                    folder.settle();
                }
            }
        } finally {
            use.writeLock().unlock();
        }
    }

    private byte[] name(ByteBuffer key) {
        if (key.remaining() != size.keyBytes()) {
            throw refused("a key", size.keyBytes(), key);
        }
        return BufferData.bytes(key);
    }

    private IllegalArgumentException refused(String what, int expected, ByteBuffer found) {
        return new IllegalArgumentException(
                String.format(
                        Locale.ROOT,
                        "%s: expected %s of %d bytes, found %d",
                        folder,
                        what,
                        expected,
                        found.remaining()));
    }
}
