package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.platform.shard.ShardFootprint;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;

/**
 * The graphs of a shard that may be computed again. Decode steps repeat, and when sequences come or
 * go the mix before often comes back, so {@link ShardFootprint#DECODE_GRAPHS} of their graphs are
 * kept, each with memory of its own; prefill chunks rarely do, so they take turns in one, larger,
 * buffer.
 */
final class GraphCache implements AutoCloseable {
    private static final class Place {
        final GraphAllocator allocator;
        RecordedGraph graph;

        Place(BufferType type) {
            allocator = new GraphAllocator(type);
        }

        void clear() {
            if (graph != null) {
                graph.close();
                graph = null;
            }
        }
    }

    private final BufferType bufferType;
    private final Place prefill;

    /** Most recently used first. */
    private final List<Place> decode = new ArrayList<>();

    GraphCache(BufferType bufferType) {
        this.bufferType = bufferType;
        prefill = new Place(bufferType);
    }

    RecordedGraph find(
            GraphKey key, Phase phase, BiFunction<GraphKey, GraphAllocator, RecordedGraph> record) {
        Place place = phase == Phase.PREFILL ? prefill : decodePlace(key);
        if (place.graph == null || !place.graph.key().equals(key)) {
            place.clear();
            place.graph = record.apply(key, place.allocator);
        }
        return place.graph;
    }

    private Place decodePlace(GraphKey key) {
        Place found = null;
        for (Iterator<Place> each = decode.iterator(); each.hasNext() && found == null; ) {
            Place place = each.next();
            if (place.graph != null && place.graph.key().equals(key)) {
                each.remove();
                found = place;
            }
        }
        if (found == null) {
            found =
                    decode.size() < ShardFootprint.DECODE_GRAPHS
                            ? new Place(bufferType)
                            : decode.removeLast();
        }
        decode.addFirst(found);
        return found;
    }

    long bytes() {
        long bytes = prefill.allocator.bufferBytes();
        for (Place place : decode) {
            bytes += place.allocator.bufferBytes();
        }
        return bytes;
    }

    @Override
    public void close() {
        prefill.clear();
        prefill.allocator.close();
        for (Place place : decode) {
            place.clear();
            place.allocator.close();
        }
    }
}
