package dev.varve.contracts;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A minimal store for tests: one file of slots. Each slot is a byte that says whether it is used, a
 * key and a value. A magic number and the size precede the slots.
 */
public final class SlotStore implements SnapshotStore {
    private static final int HEADER = 24;
    private static final long MAGIC = 0x56_53_4c_4f_54_53_30_31L;
    private static final Set<Path> WRITERS = new HashSet<>();

    /** Provider of the store. */
    public static final class Provider implements SnapshotStoreProvider {
        /** Public for the service loader. */
        public Provider() {}

        @Override
        public String name() {
            return "slots";
        }

        @Override
        public SnapshotStore open(Path path, StoreSize size, StoreAccess access)
                throws IOException {
            if (access == StoreAccess.READ) {
                return new SlotStore(path, size, access);
            }
            synchronized (WRITERS) {
                if (!WRITERS.add(path.toAbsolutePath())) {
                    throw new IOException(path + " is open for writing already");
                }
                try {
                    return new SlotStore(path, size, access);
                } catch (IOException | RuntimeException e) {
                    WRITERS.remove(path.toAbsolutePath());
                    throw e;
                }
            }
        }
    }

    private final Path path;
    private final StoreSize size;
    private final boolean writes;
    private final FileChannel channel;
    private final Map<ByteBuffer, Long> slots = new HashMap<>();
    private boolean closed;

    private SlotStore(Path path, StoreSize size, StoreAccess access) throws IOException {
        this.path = path;
        this.size = size;
        writes = access != StoreAccess.READ;
        if (access == StoreAccess.CREATE) {
            channel =
                    FileChannel.open(
                            path,
                            StandardOpenOption.CREATE_NEW,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE);
            channel.write(header(), 0);
            channel.write(ByteBuffer.allocate(1), end() - 1);
            return;
        }
        if (!Files.isRegularFile(path) || Files.size(path) != end()) {
            throw new IOException(
                    String.format(Locale.ROOT, "%s: expected a store of %d bytes", path, end()));
        }
        channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            readKeys();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private ByteBuffer header() {
        return ByteBuffer.allocate(HEADER)
                .putLong(MAGIC)
                .putInt(size.keyBytes())
                .putInt(size.valueBytes())
                .putLong(size.values())
                .flip();
    }

    private void readKeys() throws IOException {
        ByteBuffer found = ByteBuffer.allocate(HEADER);
        read(found, 0);
        if (!found.flip().equals(header())) {
            throw new IOException(path + ": expected a store of this size, found something else");
        }
        for (long slot = 0; slot < size.values(); slot++) {
            ByteBuffer head = ByteBuffer.allocate(1 + size.keyBytes());
            read(head, offset(slot));
            if (head.flip().get() == 1) {
                slots.put(head.slice(), slot);
            }
        }
    }

    private long offset(long slot) {
        return HEADER + slot * (1L + size.keyBytes() + size.valueBytes());
    }

    private long end() {
        return offset(size.values());
    }

    private void read(ByteBuffer target, long offset) throws IOException {
        int start = target.position();
        while (target.hasRemaining()) {
            if (channel.read(target, offset + target.position() - start) < 0) {
                throw new IOException(path + " ends early");
            }
        }
    }

    @Override
    public synchronized boolean put(ByteBuffer key, ByteBuffer value) throws IOException {
        ByteBuffer own = own(key);
        requireSize(value.remaining() == size.valueBytes(), value.remaining());
        requireWrites();
        Long slot = slots.get(own);
        if (slot == null) {
            Set<Long> taken = new HashSet<>(slots.values());
            slot = 0L;
            while (taken.contains(slot)) {
                slot++;
            }
            if (slot == size.values()) {
                return false;
            }
        }
        channel.write(value.duplicate(), offset(slot) + 1 + size.keyBytes());
        channel.write(own.duplicate(), offset(slot) + 1);
        channel.write(ByteBuffer.wrap(new byte[] {1}), offset(slot));
        slots.put(own, slot);
        return true;
    }

    @Override
    public synchronized boolean get(ByteBuffer key, ByteBuffer target) throws IOException {
        ByteBuffer own = own(key);
        requireSize(target.remaining() <= size.valueBytes(), target.remaining());
        Long slot = slots.get(own);
        if (slot == null) {
            return false;
        }
        read(target, offset(slot) + 1 + size.keyBytes());
        return true;
    }

    @Override
    public synchronized boolean delete(ByteBuffer key) throws IOException {
        ByteBuffer own = own(key);
        requireWrites();
        Long slot = slots.remove(own);
        if (slot == null) {
            return false;
        }
        channel.write(ByteBuffer.allocate(1), offset(slot));
        return true;
    }

    @Override
    public synchronized void keys(Consumer<ByteBuffer> consumer) {
        requireOpen();
        slots.keySet().forEach(key -> consumer.accept(key.asReadOnlyBuffer()));
    }

    @Override
    public synchronized long size() {
        requireOpen();
        return slots.size();
    }

    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        channel.close();
        if (writes) {
            synchronized (WRITERS) {
                WRITERS.remove(path.toAbsolutePath());
            }
        }
    }

    private ByteBuffer own(ByteBuffer key) {
        requireOpen();
        requireSize(key.remaining() == size.keyBytes(), key.remaining());
        return ByteBuffer.allocate(size.keyBytes()).put(key.duplicate()).flip();
    }

    private static void requireSize(boolean right, int found) {
        if (!right) {
            throw new IllegalArgumentException("a buffer of " + found + " bytes");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(path + " is closed");
        }
    }

    private void requireWrites() throws IOException {
        if (!writes) {
            throw new IOException(path + " is open for reading");
        }
    }
}
