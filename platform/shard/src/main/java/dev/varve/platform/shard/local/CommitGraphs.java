package dev.varve.platform.shard.local;

import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GraphAllocator;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Cache of the commit graphs of a shard; sequences and widths recur, so some graphs are kept. */
final class CommitGraphs implements AutoCloseable {
    private static final int MOST = 32;

    private record CachedCommitGraph(CommitGraph graph, GraphAllocator allocator) {
        void close() {
            graph.close();
            allocator.close();
        }
    }

    private final BufferType bufferType;
    private final ShardCaches caches;
    private final RecurrentOperators operators;

    /** Least recently used graph first. */
    private final Map<CommitGraph.Key, CachedCommitGraph> places =
            new LinkedHashMap<>(MOST, 0.75f, true);

    private long bytes;

    /**
     * @param operators the device's own
     */
    CommitGraphs(BufferType bufferType, ShardCaches caches, RecurrentOperators operators) {
        this.bufferType = bufferType;
        this.caches = caches;
        this.operators = operators;
    }

    CommitGraph find(CommitGraph.Key key) {
        CachedCommitGraph known = places.get(key);
        if (known != null) {
            return known.graph();
        }
        if (places.size() == MOST) {
            Iterator<CachedCommitGraph> oldest = places.values().iterator();
            CachedCommitGraph leaving = oldest.next();
            oldest.remove();
            bytes -= leaving.allocator().bufferBytes();
            leaving.close();
        }
        GraphAllocator allocator = new GraphAllocator(bufferType);
        try {
            CommitGraph graph = new CommitGraph(key, caches, operators, allocator);
            places.put(key, new CachedCommitGraph(graph, allocator));
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
        places.values().forEach(CachedCommitGraph::close);
        places.clear();
    }
}
