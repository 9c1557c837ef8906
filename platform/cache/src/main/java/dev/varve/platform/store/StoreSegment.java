package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One store of a namespace. Another thread than the requesting one opens it; a marker file beside
 * it means that it is open for writing. Thread-safe.
 */
final class StoreSegment {
    private static final Pattern NAME = Pattern.compile("generation-(\\d{6,9})-(\\d{1,12})");

    private final Id id;
    private final Path path;
    private final int valueBytes;
    private CompletableFuture<SnapshotStore> store = new CompletableFuture<>();
    private int users;
    private volatile boolean expendable;
    private boolean deleted;
    private boolean closed;

    /**
     * Parsed file name.
     *
     * @param number in the order of creation
     * @param values maximum number of values
     */
    record Id(int number, long values) {
        /** Parses the name of a file; empty if it is not that of a segment. */
        static Optional<Id> of(Path file) {
            Matcher name = NAME.matcher(file.getFileName().toString());
            return name.matches()
                    ? Optional.of(
                            new Id(
                                    Integer.parseInt(name.group(1)),
                                    Math.max(1, Long.parseLong(name.group(2)))))
                    : Optional.empty();
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "generation-%06d-%d", number, values);
        }
    }

    StoreSegment(Path folder, Id id, int valueBytes) {
        this.id = id;
        this.valueBytes = valueBytes;
        path = folder.resolve(id.toString());
    }

    int number() {
        return id.number();
    }

    long values() {
        return id.values();
    }

    Path path() {
        return path;
    }

    /** Marker file while it is open for writing. */
    Path mark() {
        return path.resolveSibling(path.getFileName() + ".open");
    }

    /** Opens it on an executor. Called once. */
    void open(SnapshotStoreProvider provider, StoreAccess access, Executor executor) {
        expendable = access == StoreAccess.CREATE || access == StoreAccess.RECOVER;
        executor.execute(
                () -> {
                    try {
                        store.complete(provider.open(path, size(), access));
                    } catch (IOException | RuntimeException | LinkageError e) {
                        store.completeExceptionally(e);
                    }
                });
    }

    private StoreSize size() {
        return new StoreSize(ChunkCodec.KEY_BYTES, valueBytes, id.values());
    }

    /** Whether a failure to open it loses nothing: it is new, or was left half-written. */
    boolean isExpendable() {
        return expendable;
    }

    /** Completes when it is open, or could not be opened. */
    CompletableFuture<SnapshotStore> opened() {
        return store;
    }

    /** Waits until it is open, or could not be opened; returns whether it is open. */
    boolean canBeOpened() {
        return store.handle((opened, failure) -> failure == null).join();
    }

    /**
     * Keeps it open until {@link #release}, and waits until it is.
     *
     * @return empty if it is about to be closed
     * @throws IOException if it could not be opened
     */
    Optional<SnapshotStore> acquire() throws IOException {
        synchronized (this) {
            if (deleted) {
                return Optional.empty();
            }
            users++;
        }
        try {
            return Optional.of(store.join());
        } catch (CompletionException e) {
            release();
            throw new IOException(path.getFileName() + " could not be opened", e.getCause());
        }
    }

    void release() {
        boolean last;
        synchronized (this) {
            users--;
            last = deleted && users == 0;
        }
        if (last) {
            close();
        }
    }

    /** Closes it after its last user; accepts no new users. */
    void markDeleted() {
        boolean last;
        synchronized (this) {
            deleted = true;
            last = users == 0;
        }
        if (last) {
            close();
        }
    }

    /** Closes the store, as soon as it is open. */
    private void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        store.thenAccept(
                opened -> {
                    try {
                        opened.close();
                    } catch (IOException | RuntimeException e) {
                        System.getLogger("dev.varve.store")
                                .log(
                                        System.Logger.Level.WARNING,
                                        "closing {0} failed: {1}",
                                        path,
                                        e.toString());
                    }
                });
    }
}
