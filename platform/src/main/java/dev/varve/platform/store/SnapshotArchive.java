package dev.varve.platform.store;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.platform.store.ArchiveMissException.Reason;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The objects of a namespace, on disk. Whatever goes wrong with the disk or the bytes on it is a
 * miss of a read, or a write that did not happen. Thread-safe.
 */
public final class SnapshotArchive implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    /** Most bytes of a header that is believed. */
    private static final int MOST_HEADER = 64 << 20;

    /** How long nothing is written after that failed. */
    private static final long PAUSE_MILLIS = Duration.ofSeconds(30).toMillis();

    /** How often people are told that something could not be read. */
    private static final long REPORT_MILLIS = Duration.ofMinutes(1).toMillis();

    /** How often a reader looks at what another process writes. */
    private static final long FOLLOW_MILLIS = 500;

    private final ArchiveSettings settings;
    private final Optional<FolderLock> lock;
    private final Optional<StoreFolder.Found> where;
    private final Optional<Journal> journal;
    private final Optional<Generations> generations;
    private final ObjectIndex index = new ObjectIndex();
    private final Optional<ArchiveWriter> writer;
    private final ReentrantLock writing = new ReentrantLock();
    private final Queue<JournalEntry> uses = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<ChunkCodec> codecs;
    private final Map<Reason, AtomicLong> misses = new EnumMap<>(Reason.class);
    private final AtomicLong readBytes = new AtomicLong();
    private volatile long pausedUntil;
    private volatile boolean closed;
    private volatile long followedAt;
    private volatile long reportedAt = Long.MIN_VALUE / 2;

    private SnapshotArchive(
            ArchiveSettings settings, SnapshotStoreProvider provider, Optional<FolderLock> lock)
            throws IOException {
        this.settings = settings;
        this.lock = lock;
        boolean writes = !settings.readOnly();
        StoreFolder folder = new StoreFolder(settings.folder());
        where =
                folder.namespace(
                                settings.namespace(),
                                ChunkCodec.valueBytes(settings.blockBytes()),
                                writes)
                        // Another process may be about to make it.
                        .filter(found -> writes || Files.exists(found.journal()));
        int valueBytes = where.map(StoreFolder.Found::valueBytes).orElse(1);
        codecs = ThreadLocal.withInitial(() -> new ChunkCodec(valueBytes, settings.cipher()));
        for (Reason reason : Reason.values()) {
            misses.put(reason, new AtomicLong());
        }
        generations =
                where.map(found -> new Generations(found, provider, !writes, this::cannotBeOpened));
        journal =
                where.isPresent()
                        ? Optional.of(openJournal(where.get(), writes))
                        : Optional.empty();
        if (generations.isPresent()) {
            generations.get().open(index.chunks());
            index.removeGenerations(number -> !generations.get().has(number));
        }
        writer =
                generations
                        .filter(all -> writes)
                        .map(
                                all ->
                                        new ArchiveWriter(
                                                where.get(),
                                                all,
                                                index,
                                                journal.get(),
                                                new GenerationRoom(settings, folder, valueBytes),
                                                codecs::get,
                                                new Pausing()));
        if (writer.isPresent()) {
            writer.get().prepare();
        }
    }

    /**
     * Opens the objects of a namespace: what there is is known at once, and the stores are opened
     * behind.
     *
     * @throws VarveException if another process writes to the folder, or it was written with
     *     another key
     * @throws IOException if the folder cannot be used
     */
    public static SnapshotArchive open(ArchiveSettings settings, SnapshotStoreProvider provider)
            throws IOException {
        StoreFolder folder = new StoreFolder(settings.folder());
        if (settings.readOnly()) {
            folder.require(settings.cipher(), false);
            return new SnapshotArchive(settings, provider, Optional.empty());
        }
        folder.create();
        FolderLock lock = FolderLock.take(settings.folder());
        try {
            folder.require(settings.cipher(), true);
            return new SnapshotArchive(settings, provider, Optional.of(lock));
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private Journal openJournal(StoreFolder.Found found, boolean writes) throws IOException {
        if (!writes) {
            Journal read = Journal.read(found.journal());
            read.replay(index::take);
            return read;
        }
        Journal written = Journal.write(found.journal());
        int[] entries = new int[1];
        written.replay(
                entry -> {
                    entries[0]++;
                    index.take(entry);
                });
        written.mend();
        if (entries[0] > 2 * index.size() + 100) {
            List<JournalEntry> needed = index.entries();
            if (2 * needed.size() < entries[0]) {
                written.close();
                return Journal.replace(found.journal(), needed);
            }
        }
        return written;
    }

    /** Whether objects can be written at the moment. */
    public boolean takesMore() {
        return lock.isPresent() && !closed && now() >= pausedUntil;
    }

    private long now() {
        return settings.clock().millis();
    }

    /** The time since which an object must have been used to be found. */
    private long since() {
        return settings.limits().ttl().map(ttl -> now() - ttl.toMillis()).orElse(Long.MIN_VALUE);
    }

    /** An object, if it is there. Never waits for a disk. */
    public Optional<StoredObject> find(ObjectKey key) {
        return index.find(key, since());
    }

    /** The checkpoints right behind a block or a root. Never waits for a disk. */
    public List<StoredObject> checkpoints(ObjectKey block) {
        return index.checkpoints(block, since());
    }

    /** Counts a use of an object and of those before it. Never waits for a disk. */
    public void use(ObjectKey key) {
        long now = now();
        int count = index.use(key, now);
        if (count > 0 && lock.isPresent()) {
            uses.add(new JournalEntry.Used(key, count, now));
        }
    }

    /**
     * Reads an object, on the caller's thread; waits until its store is open.
     *
     * @throws ArchiveMissException if it cannot be had, after which some of it may have been taken
     */
    public void read(ObjectKey key, ObjectTarget target) throws ArchiveMissException {
        try {
            readWhole(key, target);
        } catch (ArchiveMissException e) {
            misses.get(e.reason()).incrementAndGet();
            report(e);
            if (e.reason() == Reason.CORRUPT) {
                lose(key);
            }
            throw e;
        }
    }

    /** One line is enough for a disk that fails again and again. */
    private void report(ArchiveMissException miss) {
        long now = now();
        boolean known = miss.reason() == Reason.ABSENT || now - reportedAt < REPORT_MILLIS;
        if (!known) {
            reportedAt = now;
        }
        LOG.log(
                known ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "a computed prompt on disk is not used: {0}",
                miss.getMessage());
    }

    private void readWhole(ObjectKey key, ObjectTarget target) throws ArchiveMissException {
        Optional<ObjectIndex.Place> place = index.place(key);
        if (place.isEmpty() || closed) {
            throw new ArchiveMissException(Reason.ABSENT, "it is not there any more");
        }
        try {
            Generation generation = generation(place.get().generation());
            SnapshotStore store =
                    acquire(generation)
                            .orElseThrow(
                                    () ->
                                            new ArchiveMissException(
                                                    Reason.ABSENT, "it has just given way"));
            try {
                new ObjectReader(key, place.get().chunks(), store, codecs.get())
                        .read(target, MOST_HEADER);
                readBytes.addAndGet(
                        index.find(key, Long.MIN_VALUE).map(StoredObject::bytes).orElse(0L));
            } finally {
                generation.release();
            }
        } catch (IOException | RuntimeException e) {
            throw new ArchiveMissException(
                    Reason.UNREADABLE, settings.folder() + " cannot be read: " + e, e);
        }
    }

    /** What a store has that cannot be opened is not known any more, from now on. */
    private Optional<SnapshotStore> acquire(Generation generation) throws IOException {
        try {
            return generation.acquire();
        } catch (IOException e) {
            index.removeGenerations(number -> number == generation.number());
            throw e;
        }
    }

    private Generation generation(int number) throws ArchiveMissException, IOException {
        Generations all = generations.orElseThrow();
        Optional<Generation> found = all.find(number);
        if (found.isEmpty() && settings.readOnly()) {
            found = all.lookFor(number);
        }
        return found.orElseThrow(
                () -> new ArchiveMissException(Reason.ABSENT, "it has just given way"));
    }

    private void lose(ObjectKey key) {
        index.remove(key);
        if (lock.isPresent()) {
            uses.add(new JournalEntry.Lost(key));
        }
    }

    /** A store could not be opened: what is in it is of no use now. */
    private void cannotBeOpened(Generation generation, Throwable failure) {
        LOG.log(
                System.Logger.Level.WARNING,
                "computed prompts in {0} are not used: {1}",
                generation.path(),
                failure.getMessage());
        index.removeGenerations(number -> number == generation.number());
        if (lock.isPresent()) {
            generations.orElseThrow().leave(generation);
        }
        // One that was closed in order may be read another time: what fails may be this process.
        if (lock.isPresent() && generation.isExpendable()) {
            uses.add(new JournalEntry.Gone(generation.number()));
            try {
                generations.orElseThrow().delete(generation);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "cannot be deleted", e);
            }
        }
    }

    /**
     * Writes an object whose parent is there, on the caller's thread. It is there as a whole or not
     * at all.
     */
    public Written write(ObjectName name, ObjectSource source) {
        if (find(name.key()).isPresent()) {
            return Written.KNOWN;
        }
        if (!takesMore() || !name.isFirst() && index.place(name.parent()).isEmpty()) {
            return Written.NO_ROOM;
        }
        writing.lock();
        try {
            flushUses();
            return writer.orElseThrow().write(name, source);
        } catch (IOException | UncheckedIOException e) {
            pause(e.toString());
            return Written.FAILED;
        } finally {
            writing.unlock();
        }
    }

    private void flushUses() throws IOException {
        for (JournalEntry entry = uses.poll(); entry != null; entry = uses.poll()) {
            journal.orElseThrow().append(entry);
        }
    }

    /** What the writer knows of it. */
    private final class Pausing implements ArchiveWriter.Pause {
        @Override
        public void begin(String why) {
            pause(why);
        }

        @Override
        public long now() {
            return SnapshotArchive.this.now();
        }
    }

    private void pause(String why) {
        if (now() >= pausedUntil) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "computed prompts are not written to {0} for a while: {1}",
                    settings.folder(),
                    why);
        }
        pausedUntil = now() + PAUSE_MILLIS;
    }

    /** Takes over what another process has written since; only where this one does not write. */
    public void follow() {
        if (!settings.readOnly() || journal.isEmpty() || now() - followedAt < FOLLOW_MILLIS) {
            return;
        }
        followedAt = now();
        try {
            journal.get().replay(index::take);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the journal cannot be read", e);
        }
    }

    /** Forgets all objects, and deletes their stores. */
    public void clear() throws IOException {
        if (lock.isEmpty()) {
            return;
        }
        writing.lock();
        try {
            uses.clear();
            index.clear();
            for (Generation.Id id : where.orElseThrow().generations()) {
                journal.orElseThrow().append(new JournalEntry.Gone(id.number()));
                Optional<Generation> generation = generations.orElseThrow().find(id.number());
                if (generation.isPresent()) {
                    generations.get().delete(generation.get());
                }
            }
        } finally {
            writing.unlock();
        }
    }

    private ArchiveStatus.State state() {
        if (settings.readOnly()) {
            return ArchiveStatus.State.READ_ONLY;
        }
        return takesMore() ? ArchiveStatus.State.OPEN : ArchiveStatus.State.PAUSED;
    }

    /** What it holds and did. */
    public ArchiveStatus status() {
        Map<Reason, Long> counted = new EnumMap<>(Reason.class);
        misses.forEach((reason, count) -> counted.put(reason, count.get()));
        return new ArchiveStatus(
                state(),
                settings.limits().budget(),
                generations.map(Generations::bytes).orElse(0L),
                index.size(),
                index.checkpoints(),
                generations.map(Generations::count).orElse(0),
                new ArchiveStatus.Traffic(
                        writer.map(ArchiveWriter::writtenBytes).orElse(0L),
                        readBytes.get(),
                        writer.map(ArchiveWriter::evictions).orElse(0L),
                        counted));
    }

    /** Ends writing, and closes the stores so that they are found again as they are. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        writing.lock();
        try {
            closed = true;
            if (lock.isPresent()) {
                flushUses();
            }
            generations.ifPresent(Generations::close);
            if (journal.isPresent()) {
                journal.get().close();
            }
            if (lock.isPresent()) {
                lock.get().close();
            }
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} was not closed in order: {1}",
                    settings.folder(),
                    e.toString());
        } finally {
            writing.unlock();
        }
    }

    /** Where its stores lie; for tests. */
    Optional<Path> folder() {
        return where.map(StoreFolder.Found::folder).filter(Files::isDirectory);
    }
}
