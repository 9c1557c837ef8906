package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Writes objects, and evicts segments for them. For one thread at a time. */
final class ArchiveWriter {
    private final OpenNamespace all;
    private final StoreSegments segments;
    private final ObjectIndex index;
    private final Journal journal;
    private final DiskBudget budget;
    private final PauseListener pause;
    private volatile long evictions;
    private volatile long writtenBytes;

    /** Receiver of write pauses, and clock. */
    interface PauseListener {
        void begin(String why);

        long now();
    }

    ArchiveWriter(OpenNamespace all, DiskBudget budget, PauseListener pause) {
        this.all = all;
        this.budget = budget;
        this.pause = pause;
        segments = all.segments();
        index = all.index();
        journal = all.journal();
    }

    /** Number of evicted objects. */
    long evictions() {
        return evictions;
    }

    /** Bytes of the written objects. */
    long writtenBytes() {
        return writtenBytes;
    }

    /** Creates a writable segment ahead of the first write. */
    void prepare() throws IOException {
        if (segments.current(1).isEmpty() && !budget.isShort(segments.bytes(), budget.bytes(1))) {
            segments.roll(budget.values(1));
        }
    }

    /** Writes an object whose parent exists. */
    WriteResult write(ObjectDescriptor name, ObjectSource source) throws IOException {
        ByteBuffer header = source.header();
        ObjectPreamble preamble = new ObjectPreamble(name, header.remaining(), source.bytes());
        ChunkCodec codec = all.codec();
        int chunks = codec.chunks(preamble.bytes());
        Optional<StoreSegment> target = place(chunks);
        if (target.isPresent() && !target.get().canBeOpened()) {
            // Another segment may be usable.
            segments.stopWriting(target.get());
            target = place(chunks);
        }
        if (target.isEmpty()) {
            return WriteResult.NO_SPACE;
        }
        Optional<SnapshotStore> store = target.get().acquire();
        if (store.isEmpty()) {
            return WriteResult.FAILED;
        }
        try {
            segments.add(target.get().number(), chunks);
            if (!new ObjectWriter(preamble, header, source, codec)
                    .write((part, key, value) -> store.get().put(key, value), chunks)) {
                pause.begin("the store segment is full");
                return WriteResult.NO_SPACE;
            }
        } finally {
            target.get().release();
        }
        JournalEntry.Added added =
                new JournalEntry.Added(
                        name, preamble.bytes(), chunks, target.get().number(), pause.now());
        // An ancestor may have been evicted meanwhile, which makes this object unusable.
        if (!index.add(added)) {
            return WriteResult.NO_SPACE;
        }
        journal.append(added);
        writtenBytes += preamble.bytes();
        return WriteResult.WRITTEN;
    }

    /** Returns a segment with room for some chunks; evicts others if necessary. */
    private Optional<StoreSegment> place(int chunks) throws IOException {
        long bytes = budget.bytes(chunks);
        boolean makesRoom = true;
        while (makesRoom && budget.isShort(segments.bytes(), bytes)) {
            makesRoom = budget.dropOthers(all.where()) || evict();
        }
        if (budget.isShort(segments.bytes(), bytes)) {
            pause.begin("the disk budget has no room: " + budget.why(segments.bytes(), bytes));
            return Optional.empty();
        }
        Optional<StoreSegment> current = segments.current(chunks);
        if (current.isPresent()) {
            return current;
        }
        long values = budget.values(chunks);
        return values < chunks ? Optional.empty() : Optional.of(segments.roll(values));
    }

    /** Deletes the segment with the lowest score; returns whether there was one. */
    private boolean evict() throws IOException {
        Optional<SegmentEviction.Plan> plan =
                index.plan(new SegmentEviction(number -> !segments.isCurrent(number), pause.now()));
        Optional<StoreSegment> victim =
                plan.flatMap(each -> segments.find(each.segment()))
                        .or(() -> budget.empty(segments, index));
        if (victim.isEmpty()) {
            return false;
        }
        if (plan.isPresent() && plan.get().segment() == victim.get().number()) {
            copyObjects(victim.get(), plan.get().carried());
        }
        int number = victim.get().number();
        evictions += index.removeSegments(each -> each == number);
        journal.append(new JournalEntry.Gone(number));
        segments.delete(victim.get());
        budget.invalidate();
        return true;
    }

    /** Writes the most useful objects of a segment again, chunk by chunk. */
    private void copyObjects(StoreSegment victim, List<ObjectKey> keys) throws IOException {
        Optional<SnapshotStore> from = victim.acquire();
        if (from.isEmpty()) {
            return;
        }
        try {
            for (ObjectKey key : keys) {
                if (!copyObject(from.get(), key)) {
                    return;
                }
            }
        } finally {
            victim.release();
        }
    }

    private boolean copyObject(SnapshotStore from, ObjectKey key) throws IOException {
        Optional<ObjectIndex.Place> place = index.place(key);
        Optional<StoredObjectInfo> object = index.find(key, Long.MIN_VALUE);
        if (place.isEmpty() || object.isEmpty()) {
            return false;
        }
        int chunks = place.get().chunks();
        StoreSegment target =
                segments.current(chunks).isPresent()
                        ? segments.current(chunks).get()
                        : segments.roll(budget.values(chunks));
        Optional<SnapshotStore> to = target.acquire();
        if (to.isEmpty()) {
            return false;
        }
        try {
            segments.add(target.number(), chunks);
            ChunkCodec codec = all.codec();
            for (int part = chunks - 1; part >= 0; part--) {
                ByteBuffer value = codec.value();
                if (!from.get(codec.key(key, part), value)
                        || !to.get().put(codec.key(key, part), value.flip())) {
                    return false;
                }
            }
        } finally {
            target.release();
        }
        JournalEntry.Added moved =
                new JournalEntry.Added(
                        object.get().name(),
                        object.get().bytes(),
                        chunks,
                        target.number(),
                        object.get().lastUse());
        index.add(moved);
        journal.append(moved);
        return true;
    }
}
