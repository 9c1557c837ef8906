package dev.varve.platform.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Content of a namespace according to its journal; its stores are not opened.
 *
 * @param objects parents first
 * @param bytes approximate size of its stores
 */
record NamespaceContents(
        StoreFolder.NamespaceFolder where, List<StoredObjectInfo> objects, long bytes) {
    /** Reads the content; a journal that cannot be read counts as empty. */
    static NamespaceContents of(StoreFolder.NamespaceFolder where) {
        ObjectIndex index = new ObjectIndex();
        long[] chunks = new long[1];
        try (Journal journal = Journal.read(where.journal())) {
            journal.replay(index::apply);
            chunks[0] = index.chunks().values().stream().mapToLong(Long::longValue).sum();
        } catch (IOException e) {
            // The content is unknown.
        }
        return new NamespaceContents(
                where, index.objects(), chunks[0] * (where.valueBytes() + ChunkCodec.KEY_BYTES));
    }

    /**
     * Deletes the segments with the lowest score, as many as needed. No process may be writing.
     *
     * @return freed bytes, approximately
     */
    long shrink(long wanted, long now) throws IOException {
        ObjectIndex index = new ObjectIndex();
        long freed = 0;
        try (Journal journal = where.write(index::apply)) {
            Optional<SegmentEviction.Plan> plan =
                    index.plan(new SegmentEviction(number -> true, now));
            while (freed < wanted && plan.isPresent()) {
                int victim = plan.get().segment();
                long before = sum(index);
                index.removeSegments(number -> number == victim);
                journal.append(new JournalEntry.Gone(victim));
                delete(victim);
                freed += before - sum(index);
                plan = index.plan(new SegmentEviction(number -> true, now));
            }
        }
        return freed;
    }

    private long sum(ObjectIndex index) {
        return index.chunks().values().stream().mapToLong(Long::longValue).sum()
                * (where.valueBytes() + ChunkCodec.KEY_BYTES);
    }

    private void delete(int number) throws IOException {
        for (StoreSegment.Id id : where.segments()) {
            if (id.number() == number) {
                try (Stream<Path> files = Files.list(where.folder())) {
                    for (Path file :
                            files.filter(
                                            path ->
                                                    path.getFileName()
                                                            .toString()
                                                            .startsWith(id.toString()))
                                    .toList()) {
                        PrivateFiles.delete(file);
                    }
                }
            }
        }
    }

    /** Time of the last use or write of an object; 0 if there is none. */
    long lastUse() {
        return objects.stream().mapToLong(StoredObjectInfo::lastUse).max().orElse(0);
    }
}
