package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;

/**
 * The segments of a namespace, of which the last one may be writable. A thread of its own opens
 * their stores one by one, the last one first. Thread-safe.
 */
final class StoreSegments implements AutoCloseable {
    private final StoreFolder.NamespaceFolder where;
    private final SnapshotStoreProvider provider;
    private final boolean readOnly;
    private final BiConsumer<StoreSegment, Throwable> failed;
    private final ExecutorService opener =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("varve-store-open").daemon(true).factory());
    private final Map<Integer, StoreSegment> open = new TreeMap<>();

    /** Chunks in each segment, including those of removed objects. */
    private final Map<Integer, Long> used = new TreeMap<>();

    private Optional<StoreSegment> current = Optional.empty();
    private int last;

    /**
     * @param failed is called by another thread with a segment that could not be opened
     */
    StoreSegments(
            StoreFolder.NamespaceFolder where,
            SnapshotStoreProvider provider,
            boolean readOnly,
            BiConsumer<StoreSegment, Throwable> failed) {
        this.where = where;
        this.provider = provider;
        this.readOnly = readOnly;
        this.failed = failed;
    }

    /**
     * Starts to open all existing segments.
     *
     * @param chunks known number of chunks in each
     */
    synchronized void open(Map<Integer, Long> chunks) throws IOException {
        List<StoreSegment.Id> ids = where.generations();
        for (StoreSegment.Id id : ids.reversed()) {
            StoreSegment generation = new StoreSegment(where.folder(), id, where.valueBytes());
            boolean newest = last == 0;
            last = Math.max(last, id.number());
            open.put(id.number(), generation);
            used.put(id.number(), chunks.getOrDefault(id.number(), 0L));
            StoreAccess access = access(generation, newest);
            if (access != StoreAccess.READ) {
                if (newest) {
                    mark(generation);
                    current = Optional.of(generation);
                }
            }
            open(generation, access);
        }
    }

    private StoreAccess access(StoreSegment generation, boolean newest) {
        if (readOnly) {
            return StoreAccess.READ;
        }
        if (Files.exists(generation.mark())) {
            return StoreAccess.RECOVER;
        }
        return newest ? StoreAccess.WRITE : StoreAccess.READ;
    }

    private void open(StoreSegment generation, StoreAccess access) {
        generation.open(provider, access, opener);
        generation
                .opened()
                .whenComplete(
                        (store, failure) -> {
                            if (failure != null) {
                                failed.accept(generation, failure);
                            } else {
                                count(generation.number(), store.size());
                            }
                        });
    }

    private synchronized void count(int number, long values) {
        used.computeIfPresent(number, (key, known) -> Math.max(known, values));
    }

    private static void mark(StoreSegment generation) throws IOException {
        PrivateFiles.create(generation.mark());
    }

    synchronized Optional<StoreSegment> find(int number) {
        return Optional.ofNullable(open.get(number));
    }

    /** Looks for a segment that another process has created since. */
    synchronized Optional<StoreSegment> lookFor(int number) throws IOException {
        for (StoreSegment.Id id : where.generations()) {
            if (id.number() == number && !open.containsKey(number)) {
                StoreSegment generation = new StoreSegment(where.folder(), id, where.valueBytes());
                open.put(number, generation);
                used.put(number, 0L);
                open(generation, StoreAccess.READ);
            }
        }
        return find(number);
    }

    /** The writable segment, if it has room for some chunks. */
    synchronized Optional<StoreSegment> current(int chunks) {
        return current.filter(
                generation -> used.get(generation.number()) + chunks <= generation.values());
    }

    /** Records written chunks. */
    synchronized void add(int number, int chunks) {
        used.computeIfPresent(number, (key, known) -> known + chunks);
    }

    /**
     * Creates another segment, which becomes the writable one.
     *
     * @param values maximum number of its values
     */
    synchronized StoreSegment roll(long values) throws IOException {
        StoreSegment next =
                new StoreSegment(
                        where.folder(), new StoreSegment.Id(last + 1, values), where.valueBytes());
        mark(next);
        if (current.isPresent()) {
            // It is read-only from now on: a crash leaves it intact.
            Files.deleteIfExists(current.get().mark());
        }
        last++;
        open.put(next.number(), next);
        used.put(next.number(), 0L);
        current = Optional.of(next);
        open(next, StoreAccess.CREATE);
        return next;
    }

    /** Stops writing to a segment. */
    synchronized void leave(StoreSegment generation) {
        current = current.filter(each -> each != generation);
    }

    /** Whether a segment is the writable one. */
    synchronized boolean isCurrent(int number) {
        return current.filter(generation -> generation.number() == number).isPresent();
    }

    /** Deletes a segment; active readers may finish. */
    synchronized void delete(StoreSegment generation) throws IOException {
        open.remove(generation.number());
        used.remove(generation.number());
        current = current.filter(each -> each != generation);
        generation.doom();
        PrivateFiles.delete(generation.path());
        Files.deleteIfExists(generation.mark());
        for (Path beside : beside(generation)) {
            PrivateFiles.delete(beside);
        }
    }

    /** Files that a plugin may have created beside its store. */
    private List<Path> beside(StoreSegment generation) throws IOException {
        String name = generation.path().getFileName() + ".";
        try (var files = Files.list(where.folder())) {
            return files.filter(file -> file.getFileName().toString().startsWith(name)).toList();
        }
    }

    /** Bytes of all segments. */
    synchronized long bytes() {
        long chunks = used.values().stream().mapToLong(Long::longValue).sum();
        return chunks * (where.valueBytes() + ChunkCodec.KEY_BYTES);
    }

    /** Numbers of all segments, ascending. */
    synchronized List<Integer> numbers() {
        return List.copyOf(open.keySet());
    }

    synchronized int count() {
        return open.size();
    }

    /** Runs a task after the stores that are being opened. */
    void whenOpen(Runnable task) {
        opener.execute(task);
    }

    /**
     * Closes all segments, which may take a moment: stores that are still opening are opened first.
     */
    @Override
    public void close() {
        List<StoreSegment> all;
        synchronized (this) {
            all = new ArrayList<>(open.values());
        }
        opener.close();
        for (StoreSegment generation : all) {
            generation.doom();
            boolean sound = !generation.opened().isCompletedExceptionally();
            try {
                if (!readOnly && sound) {
                    Files.deleteIfExists(generation.mark());
                }
            } catch (IOException e) {
                // The next start recovers it.
            }
        }
    }
}
