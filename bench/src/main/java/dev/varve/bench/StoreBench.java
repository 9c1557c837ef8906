package dev.varve.bench;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.plugin.chronicle.ChronicleProvider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures the times in which the store of the chronicle plugin opens, writes and reads: two stores
 * of 1 GiB, half full, a thread for each. Argument: a folder on the disk in question.
 */
final class StoreBench {
    private static final StoreSize SIZE = new StoreSize(32, 256 << 10, 4096);
    private static final int VALUES = 2048;
    private static final int THREADS = 2;

    private final Path folder;

    private StoreBench(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        String parent = arguments.length > 0 ? arguments[0] : System.getProperty("java.io.tmpdir");
        try (DiskFolder folder = new DiskFolder(Path.of(parent))) {
            new StoreBench(folder.path()).run();
        }
    }

    private void run() throws Exception {
        close("create, first in this Java", StoreAccess.CREATE, 0);
        close("create", StoreAccess.CREATE, 1);
        for (String round : List.of("cold", "warm", "warm")) {
            List<SnapshotStore> stores = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                stores.add(store(i, StoreAccess.WRITE));
            }
            rate("write, " + round, stores, StoreBench::write);
            rate("read, " + round, stores, StoreBench::read);
            for (SnapshotStore store : stores) {
                store.close();
            }
        }
        close("open", StoreAccess.WRITE, 0);
        close("recover", StoreAccess.RECOVER, 0);
        close("open for reading", StoreAccess.READ, 0);
    }

    private SnapshotStore store(int number, StoreAccess access) throws IOException {
        return new ChronicleProvider().open(folder.resolve("store" + number), SIZE, access);
    }

    private void close(String what, StoreAccess access, int number) throws IOException {
        long start = System.nanoTime();
        SnapshotStore store = store(number, access);
        long opened = System.nanoTime();
        store.close();
        report("%-28s %7.1f ms, close %.1f ms", what, (opened - start) / 1e6, since(opened) / 1e6);
    }

    private interface Task {
        void on(SnapshotStore store, ByteBuffer value) throws IOException;
    }

    private static void rate(String what, List<SnapshotStore> stores, Task work) throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            long start = System.nanoTime();
            List<Callable<Object>> tasks = new ArrayList<>();
            for (SnapshotStore store : stores) {
                tasks.add(
                        () -> {
                            work.on(store, ByteBuffer.allocateDirect(SIZE.valueBytes()));
                            return store;
                        });
            }
            for (Future<Object> task : pool.invokeAll(tasks)) {
                task.get();
            }
            double bytes = (double) stores.size() * VALUES * SIZE.valueBytes();
            report("%-28s %7.2f GB/s", what, bytes / since(start));
        }
    }

    private static void write(SnapshotStore store, ByteBuffer value) throws IOException {
        for (int i = 0; i < VALUES; i++) {
            value.putInt(0, i);
            if (!store.put(key(i), value)) {
                throw new IOException("the store is full");
            }
        }
    }

    private static void read(SnapshotStore store, ByteBuffer value) throws IOException {
        for (int i = 0; i < VALUES; i++) {
            if (!store.get(key(i), value.clear()) || value.getInt(0) != i) {
                throw new IOException("value " + i + " is not there");
            }
            value.clear();
        }
    }

    private static ByteBuffer key(int number) {
        byte[] key = new byte[SIZE.keyBytes()];
        new Random(number).nextBytes(key);
        return ByteBuffer.wrap(key);
    }

    private static long since(long start) {
        return System.nanoTime() - start;
    }

    private static void report(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
