package dev.varve.platform.draft;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A draft network in the memory of a device: weights, cache and the graphs that were needed last.
 * For one thread; takes turns with others that compute on the device.
 */
final class DraftModel implements AutoCloseable {
    /** Graphs for context rows take a power of two of them, up to so many. */
    static final int MOST_STATES = 256;

    /** Fewer states take an accelerator as long, and each number of them a graph. */
    private static final int LEAST_OF_ACCELERATORS = 16;

    private static final int MOST_GRAPHS = 12;

    private final DraftFile file;
    private final ComputeDevice device;
    private final ShardWeights weights;
    private final DraftCache cache;
    private final Map<Integer, ContextGraph> contexts = new LinkedHashMap<>();
    private final Map<BlockGraph.Key, BlockGraph> blocks = new LinkedHashMap<>();
    private final int least;
    private boolean flash;

    private DraftModel(
            DraftFile file, ComputeDevice device, ShardWeights weights, DraftCache cache) {
        this.file = file;
        this.device = device;
        this.weights = weights;
        this.cache = cache;
        least = device.bufferType().isHost() ? 1 : LEAST_OF_ACCELERATORS;
    }

    /**
     * Loads weights and clears a cache.
     *
     * @param regions sequences that can be there at once
     * @param capacity context positions of each
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if there is no room
     */
    static DraftModel load(
            DraftFile file,
            ComputeDevice device,
            FlashAttention attention,
            int regions,
            int capacity) {
        requireRoom(file, device, DraftCache.bytes(file.network(), regions, capacity));
        ShardWeights weights =
                ShardWeights.load(
                        file.selection(), device, WeightLayout.REPACKED, LoadProgress.silent());
        DraftModel model;
        try {
            model =
                    new DraftModel(
                            file,
                            device,
                            weights,
                            new DraftCache(file.network(), regions, capacity, device.bufferType()));
        } catch (RuntimeException | Error e) {
            weights.close();
            throw e;
        }
        try {
            model.choose(attention);
            return model;
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
    }

    /** Fails now rather than at the first guess if the device lacks an operator. */
    private void choose(FlashAttention attention) {
        flash = attention != FlashAttention.OFF;
        Optional<String> missing = block(0).firstUnsupported(device);
        if (missing.isPresent() && attention == FlashAttention.AUTO) {
            flash = false;
            missing = block(0).firstUnsupported(device);
        }
        missing = missing.or(() -> context(least).firstUnsupported(device));
        if (missing.isPresent()) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    file.file().path()
                            + ": "
                            + device.info().name()
                            + " does not compute "
                            + missing.get());
        }
    }

    private ContextGraph context(int tokens) {
        return find(contexts, tokens, size -> new ContextGraph(size, file, weights, cache, device));
    }

    private BlockGraph block(int end) {
        return block(new BlockGraph.Key(List.of(0), List.of(cache.rowsToRead(end)), flash));
    }

    private BlockGraph block(BlockGraph.Key key) {
        return find(blocks, key, unknown -> new BlockGraph(unknown, file, weights, cache, device));
    }

    private static void requireRoom(DraftFile file, ComputeDevice device, long cacheBytes) {
        long needed = file.weightBytes() + cacheBytes;
        long free = device.info().memoryFreeBytes();
        if (needed > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    file.file().path()
                            + ": a draft model of "
                            + file.weightBytes()
                            + " bytes and a cache of "
                            + cacheBytes
                            + " bytes exceed the "
                            + free
                            + " bytes that are free on "
                            + device.info().name());
        }
    }

    DraftCache cache() {
        return cache;
    }

    /** Makes context rows of hidden states. */
    void takeIn(PendingStates states) {
        int tokens = Math.max(least, Integer.highestOneBit(2 * states.count() - 1));
        synchronized (device.lock()) {
            context(tokens)
                    .compute(
                            states.states(),
                            states.positions(),
                            states.rows(),
                            states.count(),
                            device);
        }
    }

    /**
     * Guesses.
     *
     * @param regions one for each block
     * @return rows of the head, those of each block one after the other
     */
    int[] guess(List<Integer> regions, List<BlockGraph.Block> asked) {
        List<Integer> rows =
                asked.stream().map(block -> cache.rowsToRead(block.position())).toList();
        synchronized (device.lock()) {
            return block(new BlockGraph.Key(regions, rows, flash)).compute(asked, device);
        }
    }

    /** A graph, recorded where it is not there; the one that was not used for longest goes. */
    private static <K, G extends AutoCloseable> G find(
            Map<K, G> graphs, K key, Function<K, G> record) {
        G graph = graphs.remove(key);
        if (graph == null) {
            if (graphs.size() == MOST_GRAPHS) {
                close(graphs.remove(graphs.keySet().iterator().next()));
            }
            graph = record.apply(key);
        }
        graphs.put(key, graph);
        return graph;
    }

    private static void close(AutoCloseable graph) {
        try {
            graph.close();
        } catch (Exception e) {
            throw new IllegalStateException("closing a graph failed", e);
        }
    }

    /** Bytes in use but those in a mapped file. */
    long bytes() {
        return weights.bufferBytes() + cache.bytes();
    }

    @Override
    public void close() {
        synchronized (device.lock()) {
            contexts.values().forEach(DraftModel::close);
            blocks.values().forEach(DraftModel::close);
            cache.close();
            weights.close();
        }
    }
}
