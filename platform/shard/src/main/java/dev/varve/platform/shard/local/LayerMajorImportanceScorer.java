package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.scoring.BlockPairScores;
import dev.varve.platform.shard.scoring.SparseAttention;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * A model that reads a whole text once and scores how strongly its last tokens attend to each of
 * the others. It processes the text layer by layer rather than token by token: a layer processes
 * all chunks before the next one begins, so only the rows of one layer are kept, and its keys are
 * compared while they are available.
 *
 * <p>For one text at a time; takes turns with other users of the device, chunk by chunk.
 */
public final class LayerMajorImportanceScorer implements AutoCloseable {
    /** Fraction of the keys; if attention needs more than that, it is dense. */
    private static final double MAX_SPARSE_SHARE = 0.9;

    /** Tokens of a chunk on the CPU, as in prefill. */
    private static final int HOST_CHUNK = 512;

    /** Accelerators need larger chunks for full load, since they compute one layer at a time. */
    private static final int DEVICE_CHUNK = 2048;

    /** Observes and cancels the reading of a text. */
    public interface ProgressAndCancellation {
        /** Whether the result is not needed any more. */
        boolean isCancelled();

        /** Reports progress, in tokens times layers. */
        void onProgress(long done, long all);
    }

    /**
     * Settings of the scoring.
     *
     * @param layers whose attention is scored; later layers are not computed
     * @param tail number of last tokens whose queries score the others
     * @param rotated whether queries and keys are compared after their rotation by position, which
     *     favours near tokens
     * @param sparse block-sparse attention for long texts; empty: every token attends to all before
     *     it, for any length
     */
    public record ScoringOptions(
            LayerRange layers, int tail, boolean rotated, Optional<SparseAttention> sparse) {
        /** Creates settings with dense attention. */
        public ScoringOptions(LayerRange layers, int tail, boolean rotated) {
            this(layers, tail, rotated, Optional.empty());
        }
    }

    private final ModelRange model;
    private final ComputeDevice device;
    private final CacheTypes types;
    private final ShardWeights weights;
    private final boolean flash;
    private final int chunkTokens;
    private volatile long lastBytes;

    private LayerMajorImportanceScorer(
            ModelRange model,
            ComputeDevice device,
            CacheTypes types,
            ShardWeights weights,
            boolean flash,
            int chunkTokens) {
        this.model = model;
        this.device = device;
        this.types = types;
        this.weights = weights;
        this.flash = flash;
        this.chunkTokens = chunkTokens;
    }

    /**
     * Loads the weights of all layers.
     *
     * @param model all layers
     * @param types of the rows that are kept while a text is read
     * @throws VarveException of kind UNSUPPORTED_MODEL if its layers are of other kinds than full
     *     attention and recurrent ones, or its attention layers differ; OUT_OF_MEMORY if the memory
     *     is too small
     */
    public static LayerMajorImportanceScorer load(
            ModelRange model,
            ComputeDevice device,
            CacheTypes types,
            LoadProgressListener progress) {
        return load(model, device, types, usualChunk(device), progress);
    }

    /**
     * Loads the weights of all layers, with another chunk length.
     *
     * @param chunkTokens tokens that a layer processes at once
     */
    public static LayerMajorImportanceScorer load(
            ModelRange model,
            ComputeDevice device,
            CacheTypes types,
            int chunkTokens,
            LoadProgressListener progress) {
        ModelShape shape = model.model().shape();
        requireReadable(model.file().path(), shape);
        boolean flash =
                new CacheTypeCheck(shape, model.range(), device)
                        .require(model.file().path(), types, FlashAttention.AUTO);
        ShardWeights weights =
                ShardWeights.load(
                        model.model().tensors(model.range()),
                        device,
                        WeightLayout.REPACKED,
                        progress);
        return new LayerMajorImportanceScorer(model, device, types, weights, flash, chunkTokens);
    }

    private static int usualChunk(ComputeDevice device) {
        return device.bufferType().isHost() ? HOST_CHUNK : DEVICE_CHUNK;
    }

    /**
     * Checks that a model can read texts in this way.
     *
     * @param file for messages
     * @throws VarveException of kind UNSUPPORTED_MODEL if not
     */
    public static void requireReadable(Path file, ModelShape shape) {
        List<LayerState> attention =
                shape.layers().stream()
                        .filter(state -> !(state instanceof LayerState.Recurrent))
                        .toList();
        boolean uniform =
                attention.stream().allMatch(LayerState.FullAttention.class::isInstance)
                        && attention.stream().distinct().count() == 1;
        if (!uniform) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    file
                            + ": a prefill drafter needs full attention layers of one shape, apart"
                            + " from recurrent layers; "
                            + shape.architecture()
                            + " has other layers");
        }
    }

    /**
     * Checks that some of the layers have attention that can be scored.
     *
     * @param file for messages
     * @throws VarveException of kind UNSUPPORTED_MODEL if none of them has
     */
    public static void requireAttention(Path file, ModelShape shape, LayerRange layers) {
        if (layers.end() > shape.layerCount()) {
            throw new IllegalArgumentException(
                    "layers "
                            + layers
                            + " exceed the "
                            + shape.layerCount()
                            + " layers of the model");
        }
        if (shape.layers().subList(layers.begin(), layers.end()).stream()
                .noneMatch(LayerState.FullAttention.class::isInstance)) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    file
                            + ": expected full attention in one of the scored layers "
                            + layers
                            + ", found none");
        }
    }

    /** The model's sizes. */
    public ModelShape shape() {
        return model.model().shape();
    }

    /** Bytes of the weights on the device and of those that are mapped from the file. */
    public long weightBytes() {
        return weights.bufferBytes() + weights.mappedBytes();
    }

    /**
     * Maximum bytes for reading a text, in addition to the weights and the graph of a chunk: K, V
     * and compared keys of one layer, recurrent states, the activations of all tokens, and the
     * attention probabilities of a layer.
     *
     * @param tokens of the text
     * @param tail number of last tokens whose queries score the others
     */
    public static long bytes(ModelRange model, CacheTypes types, int tokens, int tail) {
        return ImportanceScorerMemory.of(model, types, tokens, DEVICE_CHUNK, tail).bytes();
    }

    /** Bytes, as in {@link #bytes}, that the last text took. */
    public long lastBytes() {
        return lastBytes;
    }

    /**
     * Reads a text.
     *
     * @param tokens of the text, at least as many as {@link ScoringOptions#tail}
     * @return per token how strongly the last ones attend to it: the mean over these of the largest
     *     probability that any head of any layer gives it, softmax over all tokens up to the
     *     query's
     * @throws CancellationException if the listener cancelled
     * @throws VarveException of kind UNSUPPORTED_MODEL if none of the layers has full attention,
     *     OUT_OF_MEMORY if the memory is too small for its rows
     */
    public float[] read(int[] tokens, ScoringOptions options, ProgressAndCancellation listener) {
        if (tokens.length < options.tail() || options.tail() < 1) {
            throw new IllegalArgumentException(
                    "tail: expected 1 to " + tokens.length + " tokens, found " + options.tail());
        }
        requireAttention(model.file().path(), shape(), options.layers());
        boolean sparse = isSparse(tokens.length, options);
        try (ImportanceScorerState rows =
                ImportanceScorerState.open(
                        weights,
                        model,
                        new ImportanceScorerState.ScoringParameters(
                                types, tokens.length, Math.min(chunkTokens, tokens.length), sparse),
                        options,
                        device,
                        flash)) {
            return new ScoringRun(tokens, options, listener, rows).scores();
        }
    }

    /**
     * Whether attention is block-sparse. Accelerators do not skip masked tiles, and quantised rows
     * use another kernel on the CPU.
     */
    private boolean isSparse(int tokens, ScoringOptions options) {
        return options.sparse().filter(rule -> tokens >= rule.leastTokens()).isPresent()
                && flash
                && device.bufferType().isHost()
                && !types.key().isQuantized()
                && types.key() == types.value()
                && chunkTokens % BlockPairScores.BLOCK == 0;
    }

    /** Reads one text. */
    private final class ScoringRun {
        private final int[] tokens;
        private final ScoringOptions options;
        private final ProgressAndCancellation listener;
        private final ImportanceScorerState rows;

        /** Inputs of the next layer, by chunk. */
        private final List<LayerActivations> hidden = new ArrayList<>();

        private Optional<TailScores> scores = Optional.empty();
        private Optional<SparseBlockSelector> blocks = Optional.empty();

        /** State with which the next layers are read. */
        private ShardGraphContext context;

        ScoringRun(
                int[] tokens,
                ScoringOptions options,
                ProgressAndCancellation listener,
                ImportanceScorerState rows) {
            this.tokens = tokens;
            this.options = options;
            this.listener = listener;
            this.rows = rows;
            context = rows.graphContext();
        }

        float[] scores() {
            GraphMemory memory =
                    new GraphMemory(
                            new GraphAllocator(device.bufferType()),
                            Optional.empty(),
                            new SegmentMemory(device));
            try (memory) {
                for (int layer = 0; layer < options.layers().end(); layer++) {
                    readLayer(layer, memory);
                    // Selecting blocks then costs more than it saves, in the other layers, too.
                    if (blocks.filter(each -> each.share() > MAX_SPARSE_SHARE).isPresent()) {
                        context = rows.dense();
                        blocks = Optional.empty();
                    }
                }
                lastBytes = rows.bytes() + scores.map(TailScores::bytes).orElse(0L);
                return scores.orElseThrow().scores();
            } finally {
                scores.ifPresent(TailScores::close);
            }
        }

        private void readLayer(int layer, GraphMemory memory) {
            boolean scored =
                    options.layers().contains(layer)
                            && shape().layers().get(layer) instanceof LayerState.FullAttention;
            CapturedTailQueries queries = new CapturedTailQueries(tokens.length, options.tail());
            for (int begin = 0, number = 0; begin < tokens.length; begin += chunkTokens, number++) {
                if (listener.isCancelled()) {
                    throw new CancellationException("the scoring of a text was cancelled");
                }
                int end = Math.min(tokens.length, begin + chunkTokens);
                synchronized (device.lock()) {
                    readChunk(layer, number, begin, end, memory, queries);
                }
                listener.onProgress(
                        (long) layer * tokens.length + end,
                        (long) options.layers().end() * tokens.length);
            }
            if (scored) {
                synchronized (device.lock()) {
                    compare(layer, queries);
                }
            }
        }

        private void readChunk(
                int layer,
                int number,
                int begin,
                int end,
                GraphMemory memory,
                CapturedTailQueries queries) {
            SequenceChunk chunk =
                    new SequenceChunk(
                            0,
                            Arrays.copyOfRange(tokens, begin, end),
                            ChunkPlacement.next(begin, rows.span(), ImportanceScorerState.ROW),
                            RequestedOutput.NONE);
            PlacedBatch placed =
                    PlacedBatch.place(
                            new Batch(List.of(chunk), Phase.PREFILL), context.caches().windows());
            GraphKey key =
                    GraphKey.of(placed, context.trees())
                            .adapting(context.lora().active(List.of(chunk.lora())));
            LayerRange range = new LayerRange(layer, layer + 1);
            try (AllocatedGraph graph =
                    new AllocatedGraph(
                            key,
                            UnallocatedGraph.of(key, model.model(), range, context, device),
                            memory,
                            context.weights().experts())) {
                if (layer > 0) {
                    graph.writeBoundary(hidden.get(number));
                }
                graph.fill(placed);
                compute(graph, placed, begin);
                graph.readBoundary(Optional.of(rows.hidden()))
                        .ifPresent(activation -> put(number, activation));
                List<Tensor> last = graph.queries().getOrDefault(layer, List.of());
                if (!last.isEmpty()) {
                    queries.add(end, last.getFirst());
                }
            }
        }

        private void compute(AllocatedGraph graph, PlacedBatch placed, int begin) {
            weights.requireWhole();
            if (graph.blocks().isEmpty()) {
                graph.compute(placed, device);
                return;
            }
            if (blocks.isEmpty()) {
                blocks =
                        Optional.of(
                                new SparseBlockSelector(
                                        options.sparse().orElseThrow().rule(), tokens.length));
            }
            SparseGraphBreak steps = graph.blocks().get();
            blocks.get()
                    .compute(steps, begin, (from, to) -> graph.compute(from, to, placed, device));
            graph.compute(steps.ends().last(), graph.nodes(), placed, device);
        }

        private void put(int number, LayerActivations activation) {
            if (number < hidden.size()) {
                hidden.set(number, activation);
            } else {
                hidden.add(activation);
            }
        }

        private void compare(int layer, CapturedTailQueries queries) {
            if (scores.isEmpty()) {
                scores =
                        Optional.of(
                                new TailScores(
                                        rows.keys(),
                                        (LayerState.Attention) shape().layers().get(layer),
                                        queries.heads(),
                                        tokens.length,
                                        options.tail(),
                                        device));
            }
            scores.get().add(queries.byHead(), device);
        }
    }

    @Override
    public void close() {
        synchronized (device.lock()) {
            weights.close();
        }
    }
}
