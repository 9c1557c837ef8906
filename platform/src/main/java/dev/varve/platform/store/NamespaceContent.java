package dev.varve.platform.store;

import java.io.IOException;
import java.util.List;

/**
 * What a namespace holds, as its journal tells; its stores are not opened.
 *
 * @param objects parents first
 * @param bytes of its stores, about
 */
record NamespaceContent(StoreFolder.Found where, List<StoredObject> objects, long bytes) {
    /** Reads it; what cannot be read counts as nothing. */
    static NamespaceContent of(StoreFolder.Found where) {
        ObjectIndex index = new ObjectIndex();
        long[] chunks = new long[1];
        try (Journal journal = Journal.read(where.journal())) {
            journal.replay(index::take);
            chunks[0] = index.chunks().values().stream().mapToLong(Long::longValue).sum();
        } catch (IOException e) {
            // Nothing is known of it.
        }
        return new NamespaceContent(
                where, index.objects(), chunks[0] * (where.valueBytes() + ChunkCodec.KEY_BYTES));
    }

    /** When something of it was last used or written; 0 if nothing was. */
    long lastUse() {
        return objects.stream().mapToLong(StoredObject::lastUse).max().orElse(0);
    }
}
