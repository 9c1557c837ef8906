package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds objects in the stores that the index lacks, after their journal was lost or damaged. Waits
 * for the disk.
 */
final class IndexRebuild {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    private final StoreSegments segments;
    private final ObjectIndex index;
    private final ChunkCodec codec;

    IndexRebuild(StoreSegments segments, ObjectIndex index, ChunkCodec codec) {
        this.segments = segments;
        this.index = index;
        this.codec = codec;
    }

    /** Receives a found object; returns whether it was added, which requires its ancestors. */
    interface ObjectConsumer {
        boolean accept(JournalEntry.Added found) throws IOException;
    }

    /** Runs the search; returns the number of added objects. */
    int run(ObjectConsumer consumer) throws IOException {
        List<JournalEntry.Added> found = new ArrayList<>();
        for (int number : segments.numbers()) {
            Optional<StoreSegment> segment = segments.find(number);
            if (segment.isPresent()) {
                find(segment.get(), found);
            }
        }
        found.sort(Comparator.comparing(JournalEntry.Added::name, ObjectDescriptor.PARENTS_FIRST));
        int taken = 0;
        for (JournalEntry.Added added : found) {
            boolean known = index.place(added.name().key()).isPresent();
            taken += !known && consumer.accept(added) ? 1 : 0;
        }
        return taken;
    }

    /** Searches a segment; one that cannot be read has no objects. */
    private void find(StoreSegment segment, List<JournalEntry.Added> found) {
        try {
            Optional<SnapshotStore> store = segment.acquire();
            if (store.isPresent()) {
                try {
                    find(segment, store.get(), found);
                } finally {
                    segment.release();
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "the scan of a store segment ended early", e);
        }
    }

    private void find(StoreSegment segment, SnapshotStore store, List<JournalEntry.Added> found)
            throws IOException {
        // The time of uses is lost; a store is never older than its content.
        long time = Files.getLastModifiedTime(segment.path()).toMillis();
        for (ObjectKey key : unknown(store)) {
            ByteBuffer value = codec.value();
            if (!store.get(codec.key(key, 0), value)) {
                continue;
            }
            codec.decode(key, 0)
                    .flatMap(content -> ObjectPreamble.read(key, content))
                    .map(
                            preamble ->
                                    new JournalEntry.Added(
                                            preamble.name(),
                                            preamble.bytes(),
                                            codec.chunks(preamble.bytes()),
                                            segment.number(),
                                            time))
                    .ifPresent(found::add);
        }
    }

    /** Unknown objects whose first chunk exists: it is written last. */
    private List<ObjectKey> unknown(SnapshotStore store) throws IOException {
        List<ObjectKey> keys = new ArrayList<>();
        store.keys(
                chunk -> {
                    ObjectKey key = ObjectKey.read(chunk);
                    if (chunk.getInt() == 0 && index.place(key).isEmpty()) {
                        keys.add(key);
                    }
                });
        return keys;
    }
}
