package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStoreProvider;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * An open namespace: the index of its objects, its journal, and its stores. The index is available
 * at once; the stores open in the background. Thread-safe.
 */
final class OpenNamespace implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    private final StoreFolder.NamespaceFolder where;
    private final boolean writes;
    private final Journal journal;
    private final StoreSegments segments;
    private final ObjectIndex index = new ObjectIndex();
    private final ThreadLocal<ChunkCodec> codecs;

    /** Entries to append to the journal before the next write. */
    private final Queue<JournalEntry> news = new ConcurrentLinkedQueue<>();

    private OpenNamespace(
            StoreFolder.NamespaceFolder where,
            ArchiveSettings settings,
            SnapshotStoreProvider provider)
            throws IOException {
        this.where = where;
        writes = !settings.readOnly();
        codecs =
                ThreadLocal.withInitial(
                        () -> new ChunkCodec(where.valueBytes(), settings.cipher()));
        segments = new StoreSegments(where, provider, settings.readOnly(), this::cannotBeOpened);
        journal = writes ? written() : Journal.read(where.journal());
        try {
            if (!writes) {
                journal.replay(index::apply);
            }
            segments.open(index.chunks());
            index.removeSegments(number -> segments.find(number).isEmpty());
            if (Files.exists(where.rebuilding()) || !writes && !journal.isComplete()) {
                rebuild();
            }
        } catch (IOException | RuntimeException | Error e) {
            DiskArchive.closeAfter(e, this);
            throw e;
        }
    }

    /**
     * Opens a namespace, and creates it if this process writes.
     *
     * @return empty if it does not exist
     */
    static Optional<OpenNamespace> open(
            ArchiveSettings settings, StoreFolder folder, SnapshotStoreProvider provider)
            throws IOException {
        Optional<StoreFolder.NamespaceFolder> found =
                folder.namespace(
                                settings.namespace(),
                                ChunkCodec.valueBytes(settings.blockBytes()),
                                !settings.readOnly())
                        // Another process may be about to create it.
                        .filter(each -> !settings.readOnly() || each.hasJournal());
        return found.isPresent()
                ? Optional.of(new OpenNamespace(found.get(), settings, provider))
                : Optional.empty();
    }

    private Journal written() throws IOException {
        int[] entries = new int[1];
        Journal written =
                where.write(
                        entry -> {
                            entries[0]++;
                            index.apply(entry);
                        });
        List<JournalEntry> needed = index.entries();
        if (entries[0] > 100 + 2 * needed.size()) {
            written.close();
            return Journal.replace(where.journal(), needed);
        }
        return written;
    }

    private void rebuild() {
        segments.whenOpen(
                () -> {
                    try {
                        int found = new IndexRebuild(segments, index, codecs.get()).run(this::add);
                        if (writes) {
                            Files.deleteIfExists(where.rebuilding());
                        }
                        LOG.log(
                                System.Logger.Level.INFO,
                                "the journal of {0} was damaged; the store recovered {1} objects",
                                where.folder(),
                                found);
                    } catch (IOException | RuntimeException e) {
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "prefixes in {0} could not be recovered: {1}",
                                where.folder(),
                                e.toString());
                    }
                });
    }

    private boolean add(JournalEntry.Added found) throws IOException {
        if (segments.find(found.segment()).isEmpty() || !index.add(found)) {
            return false;
        }
        if (writes) {
            journal.append(found);
        }
        return true;
    }

    StoreFolder.NamespaceFolder where() {
        return where;
    }

    ObjectIndex index() {
        return index;
    }

    Journal journal() {
        return journal;
    }

    StoreSegments segments() {
        return segments;
    }

    /** Codec of the calling thread. */
    ChunkCodec codec() {
        return codecs.get();
    }

    /** Queues a journal entry, without waiting for a disk. */
    void note(JournalEntry entry) {
        if (writes) {
            news.add(entry);
        }
    }

    /** Appends the queued entries. */
    void flush() throws IOException {
        for (JournalEntry entry = news.poll(); entry != null; entry = news.poll()) {
            journal.append(entry);
        }
    }

    /** Finds the segment from which an object must be read. */
    Optional<StoreSegment> segment(int number) throws IOException {
        Optional<StoreSegment> found = segments.find(number);
        if (found.isEmpty() && !writes) {
            found = segments.findCreated(number);
        }
        if (found.isEmpty()) {
            removeSegment(number);
        }
        return found;
    }

    /** Removes the objects of a segment from the index. */
    void removeSegment(int segment) {
        index.removeSegments(number -> number == segment);
    }

    /** Drops a store that could not be opened, with its objects. */
    private void cannotBeOpened(StoreSegment segment, Throwable failure) {
        LOG.log(
                System.Logger.Level.WARNING,
                "prefixes in {0} are not used: {1}",
                segment.path(),
                failure.getMessage());
        removeSegment(segment.number());
        if (!writes) {
            return;
        }
        segments.stopWriting(segment);
        // A store that was closed properly may be readable later: the cause may be in this process.
        if (segment.isExpendable()) {
            note(new JournalEntry.Gone(segment.number()));
            try {
                segments.delete(segment);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a store segment cannot be deleted", e);
            }
        }
    }

    /** Adopts the entries that another process has written since. */
    void follow() throws IOException {
        journal.replay(index::apply);
    }

    /** Whether another process has replaced the journal. */
    boolean isReplaced() {
        return journal.isReplaced();
    }

    /** Removes all objects, and deletes their stores. For one thread at a time. */
    void clear() throws IOException {
        news.clear();
        index.clear();
        for (StoreSegment.Id id : where.segments()) {
            Optional<StoreSegment> segment = segments.find(id.number());
            if (segment.isPresent()) {
                // Before the append: on a full disk the journal may need the freed space.
                segments.delete(segment.get());
            }
            journal.append(new JournalEntry.Gone(id.number()));
        }
    }

    /** Closes the stores; a store with active readers is closed after them. */
    @Override
    public void close() throws IOException {
        try {
            flush();
        } finally {
            segments.close();
            journal.close();
        }
    }
}
