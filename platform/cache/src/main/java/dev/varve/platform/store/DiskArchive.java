package dev.varve.platform.store;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.store.ArchiveMissException.Reason;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The objects of a namespace on disk. Every failure of the disk or of its content is a miss of a
 * read or a failed write. Thread-safe.
 */
public final class DiskArchive implements ReadableArchive, WritableArchive, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    /** Maximum accepted bytes of a header. */
    private static final int MOST_HEADER = 64 << 20;

    /** Pause of writes after a failure. */
    private static final long PAUSE_MILLIS = Duration.ofSeconds(30).toMillis();

    /** Minimum interval of warnings about failed reads. */
    private static final long REPORT_MILLIS = Duration.ofMinutes(1).toMillis();

    /** Interval at which a read-only archive follows the writing process. */
    private static final long FOLLOW_MILLIS = 500;

    private static final ThreadFactory FOLLOWERS =
            Thread.ofPlatform().name("varve-store-follow").daemon(true).factory();

    private final ArchiveSettings settings;
    private final SnapshotStoreProvider provider;
    private final Optional<FolderLock> lock;
    private final Optional<ArchiveWriter> writer;
    private final Optional<ScheduledExecutorService> follower;
    private final ReentrantLock writing = new ReentrantLock();
    private final Map<Reason, AtomicLong> misses = new EnumMap<>(Reason.class);
    private final AtomicLong readBytes = new AtomicLong();

    /**
     * Empty if another process has not created it yet; replaced if that process started it again.
     */
    private volatile Optional<OpenNamespace> open;

    /** The archive ends with its last owner. */
    private final AtomicInteger owners = new AtomicInteger(1);

    private volatile long pausedUntil;
    private volatile boolean closed;
    private volatile long reportedAt = Long.MIN_VALUE / 2;

    private DiskArchive(
            ArchiveSettings settings, SnapshotStoreProvider provider, Optional<FolderLock> lock)
            throws IOException {
        this.settings = settings;
        this.provider = provider;
        this.lock = lock;
        for (Reason reason : Reason.values()) {
            misses.put(reason, new AtomicLong());
        }
        open = OpenNamespace.open(settings, folder(), provider);
        if (settings.readOnly()) {
            writer = Optional.empty();
            follower = Optional.of(Executors.newSingleThreadScheduledExecutor(FOLLOWERS));
            follower.get()
                    .scheduleWithFixedDelay(
                            this::follow, FOLLOW_MILLIS, FOLLOW_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            writer = Optional.of(prepared(open.orElseThrow()));
            follower = Optional.empty();
        }
    }

    /** Creates the writer; closes the namespace if that fails. */
    private ArchiveWriter prepared(OpenNamespace written) throws IOException {
        try {
            int valueBytes = written.where().valueBytes();
            DiskBudget budget = new DiskBudget(settings, folder(), valueBytes);
            ArchiveWriter prepared = new ArchiveWriter(written, budget, new ArchivePauseListener());
            prepared.prepare();
            return prepared;
        } catch (IOException | RuntimeException | Error e) {
            closeAfter(e, written);
            throw e;
        }
    }

    /** Closes a resource after a failure, and adds a failure of the close to it. */
    static void closeAfter(Throwable failure, AutoCloseable opened) {
        try {
            opened.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    private StoreFolder folder() {
        return new StoreFolder(settings.folder());
    }

    /**
     * Opens the objects of a namespace: the index is available at once, and the stores open in the
     * background.
     *
     * @throws VarveException if another process writes to the folder, or it was written with
     *     another key
     * @throws IOException if the folder cannot be used
     */
    public static DiskArchive open(ArchiveSettings settings, SnapshotStoreProvider provider)
            throws IOException {
        StoreFolder folder = new StoreFolder(settings.folder());
        if (settings.readOnly()) {
            folder.require(settings.cipher(), false);
            return new DiskArchive(settings, provider, Optional.empty());
        }
        folder.create();
        folder.requireOwn(settings.cipher());
        FolderLock lock = FolderLock.acquire(settings.folder());
        try {
            folder.require(settings.cipher(), true);
            return new DiskArchive(settings, provider, Optional.of(lock));
        } catch (IOException | RuntimeException | Error e) {
            closeAfter(e, lock);
            throw e;
        }
    }

    /** Returns the same archive for one more owner, which closes it as well. */
    public DiskArchive share() {
        owners.incrementAndGet();
        return this;
    }

    @Override
    public boolean acceptsWrites() {
        return lock.isPresent() && !closed && now() >= pausedUntil;
    }

    private long now() {
        return settings.clock().millis();
    }

    /** Time of the earliest last use at which an object is still found. */
    private long since() {
        return settings.limits().ttl().map(ttl -> now() - ttl.toMillis()).orElse(Long.MIN_VALUE);
    }

    /** Finds an object. Never waits for a disk. */
    public Optional<StoredObjectInfo> find(ObjectKey key) {
        return open.flatMap(all -> all.index().find(key, since()));
    }

    /** Checkpoints whose parent is a block or a root. Never waits for a disk. */
    public List<StoredObjectInfo> checkpoints(ObjectKey block) {
        return open.map(all -> all.index().checkpoints(block, since())).orElse(List.of());
    }

    /** Counts a use of an object and of its ancestors. Never waits for a disk. */
    public void use(ObjectKey key) {
        long now = now();
        open.ifPresent(
                all -> {
                    int count = all.index().use(key, now);
                    if (count > 0) {
                        all.note(new JournalEntry.Used(key, count, now));
                    }
                });
    }

    /**
     * Reads an object, on the caller's thread; waits until its store is open.
     *
     * @throws ArchiveMissException if it cannot be read; the target may have received a part of it
     */
    @Override
    public void read(ObjectKey key, ObjectTarget target) throws ArchiveMissException {
        Optional<OpenNamespace> all = open.filter(any -> !closed);
        try {
            read(all.orElseThrow(DiskArchive::gone), key, target);
        } catch (ArchiveMissException e) {
            misses.get(e.reason()).incrementAndGet();
            report(e);
            if (e.reason() == Reason.CORRUPT) {
                all.orElseThrow().index().remove(key);
                all.get().note(new JournalEntry.Lost(key));
            }
            throw e;
        }
    }

    /** Logs a miss; one warning per interval is enough for a disk that fails repeatedly. */
    private void report(ArchiveMissException miss) {
        long now = now();
        boolean known = miss.reason() == Reason.ABSENT || now - reportedAt < REPORT_MILLIS;
        if (!known) {
            reportedAt = now;
        }
        LOG.log(
                known ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "a prefix on disk is not used: {0}",
                miss.getMessage());
    }

    private void read(OpenNamespace all, ObjectKey key, ObjectTarget target)
            throws ArchiveMissException {
        ObjectIndex.Place place = all.index().place(key).orElseThrow(DiskArchive::gone);
        try {
            StoreSegment segment = all.segment(place.segment()).orElseThrow(DiskArchive::gone);
            SnapshotStore store = acquire(all, segment).orElseThrow(DiskArchive::gone);
            try {
                long bytes =
                        new StoredObjectReader(key, place.chunks(), store, all.codec())
                                .read(target, MOST_HEADER);
                readBytes.addAndGet(bytes);
            } finally {
                segment.release();
            }
        } catch (IOException | RuntimeException e) {
            throw new ArchiveMissException(
                    Reason.UNREADABLE,
                    settings.folder() + " cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    private static ArchiveMissException gone() {
        return new ArchiveMissException(Reason.ABSENT, "the object was evicted");
    }

    /** Acquires a store; if it could not be opened, its objects are removed from the index. */
    private static Optional<SnapshotStore> acquire(OpenNamespace all, StoreSegment segment)
            throws IOException {
        try {
            return segment.acquire();
        } catch (IOException e) {
            all.removeSegment(segment.number());
            throw e;
        }
    }

    /** Writes an object whose parent exists, on the caller's thread. The write is atomic. */
    @Override
    public WriteResult write(ObjectDescriptor name, ObjectSource source) {
        if (find(name.key()).isPresent()) {
            return WriteResult.KNOWN;
        }
        if (!acceptsWrites()) {
            return WriteResult.NO_SPACE;
        }
        OpenNamespace all = open.orElseThrow();
        if (!name.isFirst() && all.index().place(name.parent()).isEmpty()) {
            return WriteResult.NO_SPACE;
        }
        writing.lock();
        try {
            all.flush();
            return writer.orElseThrow().write(name, source);
        } catch (IOException | RuntimeException e) {
            // A failure of the plugin is handled like one of the disk.
            pause(e.toString());
            return WriteResult.FAILED;
        } finally {
            writing.unlock();
        }
    }

    /** Pause of this archive, for its writer. */
    private final class ArchivePauseListener implements ArchiveWriter.PauseListener {
        @Override
        public void begin(String why) {
            pause(why);
        }

        @Override
        public long now() {
            return DiskArchive.this.now();
        }
    }

    private void pause(String why) {
        if (now() >= pausedUntil) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "prefixes are not written to {0} for now: {1}",
                    settings.folder(),
                    why);
        }
        pausedUntil = now() + PAUSE_MILLIS;
    }

    /** Adopts the entries that another process has written since. */
    synchronized void follow() {
        if (closed) {
            return;
        }
        try {
            if (open.isPresent() && !open.get().isReplaced()) {
                open.get().follow();
                return;
            }
            Optional<OpenNamespace> known = open;
            open = OpenNamespace.open(settings, folder(), provider);
            if (known.isPresent()) {
                known.get().close();
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "reading the journal of another process failed", e);
        }
    }

    /**
     * Removes all objects, and deletes their stores. Does nothing if this process does not write.
     *
     * @throws VarveException of kind UNREADABLE_FILE if not all of them could be deleted
     */
    public void clear() {
        if (lock.isEmpty()) {
            return;
        }
        writing.lock();
        try {
            open.orElseThrow().clear();
        } catch (IOException | RuntimeException e) {
            throw new VarveException(VarveException.Kind.UNREADABLE_FILE, notCleared(e), e);
        } finally {
            writing.unlock();
        }
    }

    private String notCleared(Exception problem) {
        String begin =
                "the prefixes in memory were cleared, but "
                        + Setting.STORE_FOLDER
                        + " "
                        + settings.folder();
        return Files.isDirectory(open.orElseThrow().where().folder())
                ? begin
                        + " could not be cleared: expected files that can be deleted, found "
                        + problem
                        + "; the remaining prefixes may be used again after a restart"
                : begin
                        + " does not exist any more: the server writes no prefix to disk until it"
                        + " is started again";
    }

    private ArchiveStatus.State state() {
        if (settings.readOnly()) {
            return ArchiveStatus.State.READ_ONLY;
        }
        return acceptsWrites() ? ArchiveStatus.State.OPEN : ArchiveStatus.State.PAUSED;
    }

    /** Contents and statistics of the archive. */
    public ArchiveStatus status() {
        Map<Reason, Long> counted = new EnumMap<>(Reason.class);
        misses.forEach((reason, count) -> counted.put(reason, count.get()));
        return new ArchiveStatus(
                state(),
                settings.limits().budget(),
                open.map(all -> all.segments().bytes()).orElse(0L),
                open.map(all -> all.index().size()).orElse(0),
                open.map(all -> all.index().checkpoints()).orElse(0),
                open.map(all -> all.segments().count()).orElse(0),
                new ArchiveStatus.Traffic(
                        writer.map(ArchiveWriter::writtenBytes).orElse(0L),
                        readBytes.get(),
                        writer.map(ArchiveWriter::evictions).orElse(0L),
                        counted));
    }

    /**
     * Ends writing after the last owner's call, and closes the stores so that they can be reopened.
     */
    @Override
    public void close() {
        if (owners.decrementAndGet() > 0) {
            return;
        }
        writing.lock();
        try {
            if (!closed) {
                closed = true;
                follower.ifPresent(ScheduledExecutorService::close);
                closeFiles();
            }
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "closing {0} failed: {1}",
                    settings.folder(),
                    e.toString());
        } finally {
            writing.unlock();
        }
    }

    private void closeFiles() throws IOException {
        try {
            if (open.isPresent()) {
                open.get().close();
            }
        } finally {
            if (lock.isPresent()) {
                lock.get().close();
            }
        }
    }

    /** Waits until all of its stores are open; for tests. */
    void awaitOpen() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        open.ifPresent(all -> all.segments().whenOpen(() -> done.complete(null)));
        done.join();
    }
}
