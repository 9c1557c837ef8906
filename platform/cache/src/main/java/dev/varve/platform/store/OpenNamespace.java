package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStoreProvider;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The objects of a namespace, open: which there are, the journal that tells it, and the stores that
 * they lie in. What there is is known at once; the stores open behind. Thread-safe.
 */
final class OpenNamespace implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    private final StoreFolder.Found where;
    private final boolean writes;
    private final Journal journal;
    private final StoreSegments generations;
    private final ObjectIndex index = new ObjectIndex();
    private final ThreadLocal<ChunkCodec> codecs;

    /** What the journal is to be told when somebody writes. */
    private final Queue<JournalEntry> news = new ConcurrentLinkedQueue<>();

    private OpenNamespace(
            StoreFolder.Found where, ArchiveSettings settings, SnapshotStoreProvider provider)
            throws IOException {
        this.where = where;
        writes = !settings.readOnly();
        codecs =
                ThreadLocal.withInitial(
                        () -> new ChunkCodec(where.valueBytes(), settings.cipher()));
        generations = new StoreSegments(where, provider, settings.readOnly(), this::cannotBeOpened);
        journal = writes ? written() : Journal.read(where.journal());
        try {
            if (!writes) {
                journal.replay(index::take);
            }
            generations.open(index.chunks());
            index.removeGenerations(number -> generations.find(number).isEmpty());
            if (Files.exists(where.rebuilding()) || !writes && !journal.isComplete()) {
                rebuild();
            }
        } catch (IOException | RuntimeException | Error e) {
            SnapshotArchive.closeAfter(e, this);
            throw e;
        }
    }

    /**
     * Opens a namespace, and makes it if it is to be written to.
     *
     * @return empty if it is not there
     */
    static Optional<OpenNamespace> open(
            ArchiveSettings settings, StoreFolder folder, SnapshotStoreProvider provider)
            throws IOException {
        Optional<StoreFolder.Found> found =
                folder.namespace(
                                settings.namespace(),
                                ChunkCodec.valueBytes(settings.blockBytes()),
                                !settings.readOnly())
                        // Another process may be about to make it.
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
                            index.take(entry);
                        });
        List<JournalEntry> needed = index.entries();
        if (entries[0] > 100 + 2 * needed.size()) {
            written.close();
            return Journal.replace(where.journal(), needed);
        }
        return written;
    }

    private void rebuild() {
        generations.whenOpen(
                () -> {
                    try {
                        int found =
                                new IndexRebuild(generations, index, codecs.get()).run(this::add);
                        if (writes) {
                            Files.deleteIfExists(where.rebuilding());
                        }
                        LOG.log(
                                System.Logger.Level.INFO,
                                "the journal of {0} was damaged; {1} computed prompts and pieces"
                                        + " were found again",
                                where.folder(),
                                found);
                    } catch (IOException | RuntimeException e) {
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "computed prompts in {0} could not be found again: {1}",
                                where.folder(),
                                e.toString());
                    }
                });
    }

    private boolean add(JournalEntry.Added found) throws IOException {
        if (generations.find(found.generation()).isEmpty() || !index.add(found)) {
            return false;
        }
        if (writes) {
            journal.append(found);
        }
        return true;
    }

    StoreFolder.Found where() {
        return where;
    }

    ObjectIndex index() {
        return index;
    }

    Journal journal() {
        return journal;
    }

    StoreSegments generations() {
        return generations;
    }

    /** The calling thread's. */
    ChunkCodec codec() {
        return codecs.get();
    }

    /** Notes for the journal, without waiting for a disk. */
    void note(JournalEntry entry) {
        if (writes) {
            news.add(entry);
        }
    }

    /** Writes down what was noted. */
    void flush() throws IOException {
        for (JournalEntry entry = news.poll(); entry != null; entry = news.poll()) {
            journal.append(entry);
        }
    }

    /** Where an object is to be read from. */
    Optional<StoreSegment> generation(int number) throws IOException {
        Optional<StoreSegment> found = generations.find(number);
        if (found.isEmpty() && !writes) {
            found = generations.lookFor(number);
        }
        if (found.isEmpty()) {
            forget(number);
        }
        return found;
    }

    /** What lies in a generation cannot be had. */
    void forget(int generation) {
        index.removeGenerations(number -> number == generation);
    }

    /** A store could not be opened: what is in it is of no use now. */
    private void cannotBeOpened(StoreSegment generation, Throwable failure) {
        LOG.log(
                System.Logger.Level.WARNING,
                "computed prompts in {0} are not used: {1}",
                generation.path(),
                failure.getMessage());
        forget(generation.number());
        if (!writes) {
            return;
        }
        generations.leave(generation);
        // One that was closed in order may be read another time: what fails may be this process.
        if (generation.isExpendable()) {
            note(new JournalEntry.Gone(generation.number()));
            try {
                generations.delete(generation);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "cannot be deleted", e);
            }
        }
    }

    /** Takes over what another process has written since. */
    void follow() throws IOException {
        journal.replay(index::take);
    }

    /** Whether another process has begun another journal in this one's place. */
    boolean isReplaced() {
        return journal.isReplaced();
    }

    /** Forgets all objects, and deletes their stores. For one thread at a time. */
    void clear() throws IOException {
        news.clear();
        index.clear();
        for (StoreSegment.Id id : where.generations()) {
            Optional<StoreSegment> generation = generations.find(id.number());
            if (generation.isPresent()) {
                // First: the journal may need the room that this makes on a full disk.
                generations.delete(generation.get());
            }
            journal.append(new JournalEntry.Gone(id.number()));
        }
    }

    /** Closes the stores, those that are read from as soon as that is over. */
    @Override
    public void close() throws IOException {
        try {
            flush();
        } finally {
            generations.close();
            journal.close();
        }
    }
}
