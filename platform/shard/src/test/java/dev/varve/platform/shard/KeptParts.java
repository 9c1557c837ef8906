package dev.varve.platform.shard;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The bytes of the parts of a call, which a test takes out or puts in. Thread-safe. */
public final class KeptParts implements CachePartCallback {
    private final NavigableMap<Integer, byte[]> bytes = new ConcurrentSkipListMap<>();

    /** Returns a handler with these bytes, indexed by the positions of the parts in their call. */
    public static KeptParts of(List<byte[]> parts) {
        KeptParts kept = new KeptParts();
        for (int i = 0; i < parts.size(); i++) {
            kept.bytes.put(i, parts.get(i));
        }
        return kept;
    }

    /** Nothing but zeros. */
    public static KeptParts zeros(List<CachePart> parts) {
        return of(parts.stream().map(part -> new byte[(int) part.bytes()]).toList());
    }

    @Override
    public void accept(int index, ByteBuffer source) {
        byte[] taken = new byte[source.remaining()];
        source.get(taken);
        if (bytes.putIfAbsent(index, taken) != null) {
            throw new IllegalStateException("part " + index + " was taken twice");
        }
    }

    @Override
    public void give(int index, ByteBuffer target) {
        target.put(bytes.get(index));
    }

    /** The bytes of all parts in their order. */
    public List<byte[]> all() {
        return List.copyOf(bytes.values());
    }
}
