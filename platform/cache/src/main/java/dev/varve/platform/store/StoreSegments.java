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
        List<StoreSegment.Id> ids = where.segments();
        for (StoreSegment.Id id : ids.reversed()) {
            StoreSegment segment = new StoreSegment(where.folder(), id, where.valueBytes());
            boolean newest = last == 0;
            last = Math.max(last, id.number());
            open.put(id.number(), segment);
            used.put(id.number(), chunks.getOrDefault(id.number(), 0L));
            StoreAccess access = access(segment, newest);
            if (access != StoreAccess.READ) {
                if (newest) {
                    mark(segment);
                    current = Optional.of(segment);
                }
            }
            open(segment, access);
        }
    }

    private StoreAccess access(StoreSegment segment, boolean newest) {
        if (readOnly) {
            return StoreAccess.READ;
        }
        if (Files.exists(segment.mark())) {
            return StoreAccess.RECOVER;
        }
        return newest ? StoreAccess.WRITE : StoreAccess.READ;
    }

    private void open(StoreSegment segment, StoreAccess access) {
        segment.open(provider, access, opener);
        segment.opened()
                .whenComplete(
                        (store, failure) -> {
                            if (failure != null) {
                                failed.accept(segment, failure);
                            } else {
                                count(segment.number(), store.size());
                            }
                        });
    }

    private synchronized void count(int number, long values) {
        used.computeIfPresent(number, (key, known) -> Math.max(known, values));
    }

    private static void mark(StoreSegment segment) throws IOException {
        PrivateFiles.create(segment.mark());
    }

    synchronized Optional<StoreSegment> find(int number) {
        return Optional.ofNullable(open.get(number));
    }

    /** Looks for a segment that another process has created since. */
    synchronized Optional<StoreSegment> findCreated(int number) throws IOException {
        for (StoreSegment.Id id : where.segments()) {
            if (id.number() == number && !open.containsKey(number)) {
                StoreSegment segment = new StoreSegment(where.folder(), id, where.valueBytes());
                open.put(number, segment);
                used.put(number, 0L);
                open(segment, StoreAccess.READ);
            }
        }
        return find(number);
    }

    /** The writable segment, if it has room for some chunks. */
    synchronized Optional<StoreSegment> current(int chunks) {
        return current.filter(segment -> used.get(segment.number()) + chunks <= segment.values());
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
    synchronized void stopWriting(StoreSegment segment) {
        current = current.filter(each -> each != segment);
    }

    /** Whether a segment is the writable one. */
    synchronized boolean isCurrent(int number) {
        return current.filter(segment -> segment.number() == number).isPresent();
    }

    /** Deletes a segment; active readers may finish. */
    synchronized void delete(StoreSegment segment) throws IOException {
        open.remove(segment.number());
        used.remove(segment.number());
        current = current.filter(each -> each != segment);
        segment.markDeleted();
        PrivateFiles.delete(segment.path());
        Files.deleteIfExists(segment.mark());
        for (Path beside : companionFiles(segment)) {
            PrivateFiles.delete(beside);
        }
    }

    /** Files that a plugin may have created beside its store. */
    private List<Path> companionFiles(StoreSegment segment) throws IOException {
        String name = segment.path().getFileName() + ".";
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
        for (StoreSegment segment : all) {
            segment.markDeleted();
            boolean sound = !segment.opened().isCompletedExceptionally();
            try {
                if (!readOnly && sound) {
                    Files.deleteIfExists(segment.mark());
                }
            } catch (IOException e) {
                // The next start recovers it.
            }
        }
    }
}
