package dev.varve.platform.engine;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.platform.store.ObjectKind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Stores with delays and faults that a test selects. */
final class StoreFaults {
    private final AtomicInteger reads = new AtomicInteger();
    private volatile Hook reading = () -> {};
    private final AtomicInteger damagedFeatures = new AtomicInteger();
    private volatile boolean damaged;
    private volatile boolean damagesFeatures;

    /** Runs before an operation; waits or throws. */
    interface Hook {
        void run() throws IOException, InterruptedException;
    }

    void beforeReading(Hook hook) {
        reading = hook;
    }

    void damageValues() {
        damaged = true;
    }

    /** Damages the header of hidden states, and no other data. */
    void damageFeatures() {
        damagesFeatures = true;
    }

    /** Returns how many damaged values were read. */
    int damagedFeatures() {
        return damagedFeatures.get();
    }

    /** Returns how many values were requested. */
    int reads() {
        return reads.get();
    }

    SnapshotStoreProvider around(SnapshotStoreProvider other) {
        return new SnapshotStoreProvider() {
            @Override
            public String name() {
                return other.name();
            }

            @Override
            public SnapshotStore open(Path path, StoreSize size, StoreAccess access)
                    throws IOException {
                return new Faulty(other.open(path, size, access));
            }
        };
    }

    private final class Faulty implements SnapshotStore {
        private final SnapshotStore store;

        Faulty(SnapshotStore store) {
            this.store = store;
        }

        @Override
        public boolean put(ByteBuffer key, ByteBuffer value) throws IOException {
            return store.put(key, value);
        }

        @Override
        public boolean get(ByteBuffer key, ByteBuffer target) throws IOException {
            reads.incrementAndGet();
            try {
                reading.run();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            int begin = target.position();
            boolean found = store.get(key, target);
            boolean features = damagesFeatures && found && isFeatures(target, begin);
            if (found && damaged || features) {
                int last = target.limit() > begin + 100 ? begin + 100 : begin;
                target.put(last, (byte) ~target.get(last));
            }
            damagedFeatures.addAndGet(features ? 1 : 0);
            return found;
        }

        /** A checksum and a length precede the header of the object. */
        private boolean isFeatures(ByteBuffer value, int begin) {
            ByteBuffer numbers = value.duplicate().order(ByteOrder.BIG_ENDIAN);
            return numbers.getInt(begin + 8) == 0x5641_5256
                    && numbers.getInt(begin + 48) == ObjectKind.FEATURES.ordinal();
        }

        @Override
        public boolean delete(ByteBuffer key) throws IOException {
            return store.delete(key);
        }

        @Override
        public void keys(Consumer<ByteBuffer> consumer) throws IOException {
            store.keys(consumer);
        }

        @Override
        public long size() {
            return store.size();
        }

        @Override
        public void close() throws IOException {
            store.close();
        }
    }
}
