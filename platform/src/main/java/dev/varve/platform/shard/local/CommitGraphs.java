package dev.varve.platform.shard.local;

import dev.varve.api.backend.DeltaRule;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GraphAllocator;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The commit graphs of a shard; sequences and widths come back, so that some are kept. */
final class CommitGraphs implements AutoCloseable {
    private static final int MOST = 32;

    private record Place(CommitGraph graph, GraphAllocator allocator) {
        void close() {
            graph.close();
            allocator.close();
        }
    }

    private final BufferType bufferType;
    private final ShardCaches caches;
    private final Optional<DeltaRule> rule;

    /** Least recently used first. */
    private final Map<CommitGraph.Key, Place> places = new LinkedHashMap<>(MOST, 0.75f, true);

    private long bytes;

    /**
     * @param rule the device's own
     */
    CommitGraphs(BufferType bufferType, ShardCaches caches, Optional<DeltaRule> rule) {
        this.bufferType = bufferType;
        this.caches = caches;
        this.rule = rule;
    }

    CommitGraph find(CommitGraph.Key key) {
        Place known = places.get(key);
        if (known != null) {
            return known.graph();
        }
        if (places.size() == MOST) {
            Iterator<Place> oldest = places.values().iterator();
            Place leaving = oldest.next();
            oldest.remove();
            bytes -= leaving.allocator().bufferBytes();
            leaving.close();
        }
        GraphAllocator allocator = new GraphAllocator(bufferType);
        try {
            CommitGraph graph = new CommitGraph(key, caches, rule, allocator);
            places.put(key, new Place(graph, allocator));
            bytes += allocator.bufferBytes();
            return graph;
        } catch (RuntimeException | Error e) {
            allocator.close();
            throw e;
        }
    }

    /** Bytes of all graphs' memory. */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        places.values().forEach(Place::close);
        places.clear();
    }
}
