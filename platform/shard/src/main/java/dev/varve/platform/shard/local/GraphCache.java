package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.GraphCounts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;

/**
 * Cache of a shard's graphs. Decode steps repeat, and when sequences start or finish an earlier mix
 * often recurs, so {@link CacheUnitBytes#DECODE_GRAPHS} of their graphs are kept, each with its own
 * memory. Prefill chunks rarely repeat, so they share one larger buffer in turn.
 */
final class GraphCache implements AutoCloseable {
    private static final class GraphSlot {
        final GraphMemory memory;
        AllocatedGraph graph;

        GraphSlot(GraphMemory memory) {
            this.memory = memory;
        }

        boolean holds(GraphKey key) {
            return graph != null && graph.key().equals(key);
        }

        void clear() {
            if (graph != null) {
                graph.close();
                graph = null;
            }
        }
    }

    private final ComputeDevice device;
    private final BufferType bufferType;
    private final GraphSlot prefill;

    /** Most recently used first. */
    private final List<GraphSlot> decode = new ArrayList<>();

    private long bytes;
    private final LongAdder[] recorded = counters();
    private final LongAdder[] reused = counters();

    GraphCache(ComputeDevice device) {
        bufferType = device.bufferType();
        this.device = device;
        // Copying the inputs takes negligible time beside the chunk's computation.
        prefill = new GraphSlot(memory(Optional.empty()));
        bytes = measure();
    }

    private GraphSlot decodeSlot() {
        return new GraphSlot(
                memory(
                        bufferType.isHost()
                                ? Optional.empty()
                                : Optional.of(new InputArena(device.ggmlDevice()))));
    }

    private GraphMemory memory(Optional<InputArena> inputs) {
        return new GraphMemory(new GraphAllocator(bufferType), inputs, new SegmentMemory(device));
    }

    AllocatedGraph find(
            GraphKey key, Phase phase, BiFunction<GraphKey, GraphMemory, AllocatedGraph> record) {
        GraphSlot place = phase == Phase.PREFILL ? prefill : decodePlace(key);
        if (place.holds(key)) {
            reused[phase.ordinal()].increment();
        } else {
            record(place, key, record);
            recorded[phase.ordinal()].increment();
        }
        return place.graph;
    }

    private void record(
            GraphSlot place,
            GraphKey key,
            BiFunction<GraphKey, GraphMemory, AllocatedGraph> record) {
        place.clear();
        try {
            place.graph = record.apply(key, place.memory);
        } finally {
            bytes = measure();
        }
    }

    /**
     * Returns the entry of a graph, or else an entry for it: a new one, or the least recently used.
     */
    private GraphSlot decodePlace(GraphKey key) {
        for (int i = 0; i < decode.size(); i++) {
            GraphSlot place = decode.get(i);
            if (place.holds(key)) {
                return toFront(i);
            }
        }
        if (decode.size() < CacheUnitBytes.DECODE_GRAPHS) {
            decode.addFirst(decodeSlot());
            return decode.getFirst();
        }
        return toFront(decode.size() - 1);
    }

    /** Drops the graphs that compute with an adapter. */
    void dropAdapter(int number) {
        dropAdapter(prefill, number);
        decode.forEach(place -> dropAdapter(place, number));
    }

    private static void dropAdapter(GraphSlot place, int number) {
        if (place.graph != null && place.graph.key().adapters().contains(number)) {
            place.clear();
        }
    }

    private GraphSlot toFront(int index) {
        GraphSlot place = decode.get(index);
        if (index > 0) {
            decode.remove(index);
            decode.addFirst(place);
        }
        return place;
    }

    /** Bytes of all graphs' memory; cached, since a shard reports them in each step. */
    long bytes() {
        return bytes;
    }

    private static LongAdder[] counters() {
        return new LongAdder[] {new LongAdder(), new LongAdder()};
    }

    /** Graphs that were recorded and reused so far; any thread may call it. */
    GraphCounts counts() {
        return new GraphCounts(counts(Phase.PREFILL), counts(Phase.DECODE));
    }

    private GraphCounts.PhaseCounts counts(Phase phase) {
        return new GraphCounts.PhaseCounts(
                recorded[phase.ordinal()].sum(), reused[phase.ordinal()].sum());
    }

    private long measure() {
        long sum = prefill.memory.bytes();
        for (GraphSlot place : decode) {
            sum += place.memory.bytes();
        }
        return sum;
    }

    @Override
    public void close() {
        prefill.clear();
        prefill.memory.close();
        for (GraphSlot place : decode) {
            place.clear();
            place.memory.close();
        }
    }
}
