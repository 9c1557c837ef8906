package dev.varve.platform.draft;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GraphAllocator;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Cache of graphs of one kind, which share the same memory in turn; the last computed ones are kept
 * for reuse. For one thread.
 */
final class DraftGraphs<K, G extends DraftGraph> implements AutoCloseable {
    private static final int MOST = 16;

    private final Function<K, G> recorder;
    private final GraphAllocator allocator;

    /** Least recently used graph first. */
    private final Map<K, G> graphs = new LinkedHashMap<>();

    private G placed;

    DraftGraphs(BufferType type, Function<K, G> recorder) {
        this.recorder = recorder;
        allocator = new GraphAllocator(type);
    }

    /** Returns a graph that has memory until the next call. */
    G find(K key) {
        G graph = graphs.remove(key);
        if (graph == null) {
            if (graphs.size() == MOST) {
                close(graphs.remove(graphs.keySet().iterator().next()));
            }
            graph = recorder.apply(key);
        }
        graphs.put(key, graph);
        if (placed != graph) {
            // The allocator compares counts only, so each graph needs its own plan.
            placed = null;
            long before = allocator.bufferBytes();
            allocator.reserve(graph.graph());
            if (allocator.bufferBytes() != before) {
                // Graphs that were placed in the former memory cannot be placed again.
                closeAllBut(graph);
            }
            allocator.allocate(graph.graph());
            placed = graph;
        }
        return graph;
    }

    private void closeAllBut(G kept) {
        graphs.values()
                .removeIf(
                        graph -> {
                            if (graph != kept) {
                                graph.close();
                            }
                            return graph != kept;
                        });
    }

    private void close(G graph) {
        if (placed == graph) {
            placed = null;
        }
        graph.close();
    }

    long bytes() {
        return allocator.bufferBytes();
    }

    @Override
    public void close() {
        graphs.values().forEach(DraftGraph::close);
        allocator.close();
    }
}
