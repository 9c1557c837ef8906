package dev.varve.platform.draft;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.shard.DeviceTurn;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A draft network in the memory of a device: weights, cache and the most recent graphs. For one
 * thread; takes turns with other users of the device.
 */
final class DraftModel implements BlockDraftModel {
    private static final System.Logger LOG = System.getLogger(DraftModel.class.getName());

    /** Graphs for context rows compute a power of two of them, up to this number. */
    static final int MOST_STATES = 256;

    /** Fewer states take the same time on an accelerator, and each number needs a graph. */
    private static final int LEAST_OF_ACCELERATORS = 16;

    /** Maximum number of sequences that are drafted together. */
    static final int MOST_TOGETHER = 16;

    private final DraftFile file;
    private final ComputeDevice device;
    private final ShardWeights weights;
    private final DraftCache cache;
    private final DraftGraphs<Integer, ContextGraph> contexts;
    private final DraftGraphs<BlockDraftGraph.Key, BlockDraftGraph> blocks;
    private final int least;
    private boolean flash;

    /** Whether the device supports the operators for trees, as far as known. */
    private boolean canBranch = true;

    private DraftModel(
            DraftFile file,
            DraftVocabulary tokens,
            ComputeDevice device,
            ShardWeights weights,
            DraftCache cache) {
        this.file = file;
        this.device = device;
        this.weights = weights;
        this.cache = cache;
        least = device.bufferType().isHost() ? 1 : LEAST_OF_ACCELERATORS;
        contexts =
                new DraftGraphs<>(
                        device.bufferType(),
                        count -> new ContextGraph(count, file, weights, cache));
        blocks =
                new DraftGraphs<>(
                        device.bufferType(),
                        key -> new BlockDraftGraph(key, file, weights, cache, tokens.targets()));
    }

    /**
     * Loads weights and clears a cache.
     *
     * @param tokens the target's tokens of the rows of its head
     * @param regions rows of each sequence
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if the memory is too small
     */
    static DraftModel load(
            DraftFile file,
            DraftVocabulary tokens,
            ComputeDevice device,
            FlashAttention attention,
            DraftRegions regions) {
        requireMemory(file, device, DraftCache.bytes(file.network(), regions));
        ShardWeights weights =
                ShardWeights.load(
                        file.selection(),
                        device,
                        WeightLayout.REPACKED,
                        LoadProgressListener.silent());
        DraftModel model;
        try {
            model =
                    new DraftModel(
                            file,
                            tokens,
                            device,
                            weights,
                            new DraftCache(file.network(), regions, device.bufferType()));
        } catch (RuntimeException | Error e) {
            weights.close();
            throw e;
        }
        try {
            model.prepare(attention, regions);
            return model;
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
    }

    /**
     * Allocates the memory of the largest graphs, so that a lack of memory or a missing operator is
     * reported now rather than at the first draft.
     */
    private void prepare(FlashAttention attention, DraftRegions rows) {
        int sequences = Math.min(rows.count(), MOST_TOGETHER);
        List<Integer> regions = IntStream.range(0, sequences).boxed().toList();
        List<Integer> ends = Collections.nCopies(sequences, rows.capacity());
        flash = attention != FlashAttention.OFF;
        Optional<String> missing = missing(blocks.find(key(regions, ends)));
        if (missing.isPresent() && attention == FlashAttention.AUTO) {
            flash = false;
            missing = missing(blocks.find(key(regions, ends)));
        }
        missing = missing.or(() -> missing(contexts.find(Math.max(least, MOST_STATES))));
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

    private Optional<String> missing(DraftGraph graph) {
        return graph.graph().firstUnsupported(device.ggmlDevice());
    }

    private static void requireMemory(DraftFile file, ComputeDevice device, long cacheBytes) {
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

    private BlockDraftGraph.Key key(List<Integer> regions, List<Integer> ends) {
        return key(regions, ends, false);
    }

    private BlockDraftGraph.Key key(List<Integer> regions, List<Integer> ends, boolean branches) {
        return new BlockDraftGraph.Key(
                regions, ends.stream().map(cache.regions()::rowsToRead).toList(), flash, branches);
    }

    @Override
    public long contextRow(int region, int position) {
        return cache.regions().contextRow(region, position);
    }

    @Override
    public void addFeatures(PendingHiddenStates states) {
        int tokens = Math.max(least, Integer.highestOneBit(2 * states.count() - 1));
        DeviceTurn.take(
                device.lock(),
                () -> {
                    weights.requireWhole();
                    contexts.find(tokens)
                            .compute(
                                    states.states(),
                                    states.positions(),
                                    states.rows(),
                                    states.count(),
                                    device);
                    return null;
                });
    }

    @Override
    public List<BlockDraftGraph.BlockDraft> draft(
            List<Integer> regions, List<BlockDraftGraph.Block> asked, boolean branches) {
        List<Integer> ends = asked.stream().map(BlockDraftGraph.Block::position).toList();
        return DeviceTurn.take(device.lock(), () -> drafted(regions, ends, asked, branches));
    }

    private List<BlockDraftGraph.BlockDraft> drafted(
            List<Integer> regions,
            List<Integer> ends,
            List<BlockDraftGraph.Block> asked,
            boolean branches) {
        weights.requireWhole();
        BlockDraftGraph graph = blocks.find(key(regions, ends, branches && canBranch));
        if (branches && canBranch && missing(graph).isPresent()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0}: {1} does not compute {2}; draft tokens do not branch",
                    file.file().path().getFileName(),
                    device.info().name(),
                    missing(graph).get());
            canBranch = false;
            graph = blocks.find(key(regions, ends));
        }
        return graph.compute(asked, device);
    }

    @Override
    public long bytes() {
        return weights.bufferBytes() + cache.bytes() + contexts.bytes() + blocks.bytes();
    }

    @Override
    public void close() {
        synchronized (device.lock()) {
            contexts.close();
            blocks.close();
            cache.close();
            weights.close();
        }
    }
}
