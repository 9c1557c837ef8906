package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Writes objects, and evicts segments for them. For one thread at a time. */
final class ArchiveWriter {
    private final OpenNamespace all;
    private final StoreSegments generations;
    private final ObjectIndex index;
    private final Journal journal;
    private final DiskBudget room;
    private final PauseListener pause;
    private volatile long evictions;
    private volatile long writtenBytes;

    /** Receiver of write pauses, and clock. */
    interface PauseListener {
        void begin(String why);

        long now();
    }

    ArchiveWriter(OpenNamespace all, DiskBudget room, PauseListener pause) {
        this.all = all;
        this.room = room;
        this.pause = pause;
        generations = all.generations();
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
        if (generations.current(1).isEmpty() && !room.isShort(generations.bytes(), room.bytes(1))) {
            generations.roll(room.values(1));
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
            generations.leave(target.get());
            target = place(chunks);
        }
        if (target.isEmpty()) {
            return WriteResult.NO_ROOM;
        }
        Optional<SnapshotStore> store = target.get().acquire();
        if (store.isEmpty()) {
            return WriteResult.FAILED;
        }
        try {
            generations.add(target.get().number(), chunks);
            if (!new ObjectWriter(preamble, header, source, codec)
                    .write((part, key, value) -> store.get().put(key, value), chunks)) {
                pause.begin("the store segment is full");
                return WriteResult.NO_ROOM;
            }
        } finally {
            target.get().release();
        }
        JournalEntry.Added added =
                new JournalEntry.Added(
                        name, preamble.bytes(), chunks, target.get().number(), pause.now());
        // An ancestor may have been evicted meanwhile, which makes this object unusable.
        if (!index.add(added)) {
            return WriteResult.NO_ROOM;
        }
        journal.append(added);
        writtenBytes += preamble.bytes();
        return WriteResult.WRITTEN;
    }

    /** Returns a segment with room for some chunks; evicts others if necessary. */
    private Optional<StoreSegment> place(int chunks) throws IOException {
        long bytes = room.bytes(chunks);
        boolean makesRoom = true;
        while (makesRoom && room.isShort(generations.bytes(), bytes)) {
            makesRoom = room.dropOthers(all.where()) || evict();
        }
        if (room.isShort(generations.bytes(), bytes)) {
            pause.begin("the disk budget has no room: " + room.why(generations.bytes(), bytes));
            return Optional.empty();
        }
        Optional<StoreSegment> current = generations.current(chunks);
        if (current.isPresent()) {
            return current;
        }
        long values = room.values(chunks);
        return values < chunks ? Optional.empty() : Optional.of(generations.roll(values));
    }

    /** Deletes the segment with the lowest score; returns whether there was one. */
    private boolean evict() throws IOException {
        Optional<SegmentEviction.Plan> plan =
                index.plan(
                        new SegmentEviction(number -> !generations.isCurrent(number), pause.now()));
        Optional<StoreSegment> victim =
                plan.flatMap(each -> generations.find(each.generation()))
                        .or(() -> room.empty(generations, index));
        if (victim.isEmpty()) {
            return false;
        }
        if (plan.isPresent() && plan.get().generation() == victim.get().number()) {
            carry(victim.get(), plan.get().carried());
        }
        int number = victim.get().number();
        evictions += index.removeGenerations(each -> each == number);
        journal.append(new JournalEntry.Gone(number));
        generations.delete(victim.get());
        room.lookAgain();
        return true;
    }

    /** Writes the most useful objects of a segment again, chunk by chunk. */
    private void carry(StoreSegment victim, List<ObjectKey> keys) throws IOException {
        Optional<SnapshotStore> from = victim.acquire();
        if (from.isEmpty()) {
            return;
        }
        try {
            for (ObjectKey key : keys) {
                if (!carry(from.get(), key)) {
                    return;
                }
            }
        } finally {
            victim.release();
        }
    }

    private boolean carry(SnapshotStore from, ObjectKey key) throws IOException {
        Optional<ObjectIndex.Place> place = index.place(key);
        Optional<StoredObject> object = index.find(key, Long.MIN_VALUE);
        if (place.isEmpty() || object.isEmpty()) {
            return false;
        }
        int chunks = place.get().chunks();
        StoreSegment target =
                generations.current(chunks).isPresent()
                        ? generations.current(chunks).get()
                        : generations.roll(room.values(chunks));
        Optional<SnapshotStore> to = target.acquire();
        if (to.isEmpty()) {
            return false;
        }
        try {
            generations.add(target.number(), chunks);
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
