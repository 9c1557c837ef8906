package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStore;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one object chunk by chunk, and verifies each chunk. */
final class StoredObjectReader {
    private final ObjectKey key;
    private final int chunks;
    private final SnapshotStore store;
    private final ChunkCodec codec;

    StoredObjectReader(ObjectKey key, int chunks, SnapshotStore store, ChunkCodec codec) {
        this.key = key;
        this.chunks = chunks;
        this.store = store;
        this.codec = codec;
    }

    /** Passes the object to a target; returns its bytes. */
    long read(ObjectTarget target, int mostHeader) throws ArchiveMissException, IOException {
        ObjectAssembly assembly = new ObjectAssembly(key, chunks, codec, target, mostHeader);
        for (int part = 0; part < chunks; part++) {
            assembly.take(part, chunk(assembly, part));
        }
        return assembly.end();
    }

    private ByteBuffer chunk(ObjectAssembly assembly, int part)
            throws ArchiveMissException, IOException {
        if (!store.get(codec.key(key, part), codec.value())) {
            throw assembly.corrupt(part);
        }
        return codec.decode(key, part).orElseThrow(() -> assembly.corrupt(part));
    }
}
