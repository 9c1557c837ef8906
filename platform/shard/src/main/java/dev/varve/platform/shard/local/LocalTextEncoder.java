package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TextEncoder;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.TextBatchEncoder;
import dev.varve.platform.shard.WeightLayout;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * An encoder of texts on a device of this process. Batches of texts rarely have the same lengths
 * twice, so each has a graph of its own, and all of them use the same memory in turn. Thread-safe;
 * batches wait for one another, and take turns with the shards on the device.
 */
public final class LocalTextEncoder implements TextBatchEncoder {
    /** Tensors per layer without attention; the largest family needs well below half of it. */
    private static final int TENSORS_PER_LAYER = 224;

    private static final int TENSORS_PER_GRAPH = 128;

    /** Name of the inputs in messages. */
    private static final String INPUT = "text";

    /** Most heads that tiles are counted for. */
    private static final int MOST_HEADS = 128;

    private final TextEncoder encoder;
    private final Pooling pooling;
    private final ComputeDevice device;
    private final ShardWeights weights;
    private final long weightBytes;
    private final EncoderRunner runner;

    /**
     * Loads the weights.
     *
     * @param pooling of all texts
     * @param device owned by the caller
     * @param turn time after which the device is released for others
     * @throws VarveException of kind OUT_OF_MEMORY if the weights do not fit, UNSUPPORTED_MODEL if
     *     scores are requested of a file without a classifier
     */
    public LocalTextEncoder(
            TextEncoder encoder,
            Pooling pooling,
            ComputeDevice device,
            Duration turn,
            LoadProgressListener progress) {
        this.encoder = encoder;
        this.pooling = pooling;
        this.device = device;
        weights =
                ShardWeights.load(
                        tensors(encoder, pooling), device, WeightLayout.REPACKED, progress);
        weightBytes = weights.bufferBytes() + weights.mappedBytes();
        runner = new EncoderRunner(INPUT, device, turn, weights);
    }

    /** Uses the weights of a shard, which are borrowed already. */
    private LocalTextEncoder(
            TextEncoder encoder,
            Pooling pooling,
            ComputeDevice device,
            Duration turn,
            ShardWeights borrowed) {
        this.encoder = encoder;
        this.pooling = pooling;
        this.device = device;
        weights = borrowed;
        weightBytes = 0;
        runner = new EncoderRunner(INPUT, device, turn, weights, weights::giveBack);
    }

    /**
     * Creates an encoder with the weights of the shards of the same model, if there is a shard with
     * all layers on the device, and it has loaded whatever the encoder reads.
     *
     * @param device that of the shard
     * @param layout that of the shard
     * @param loaded weights of the shards
     * @throws VarveException as the constructor
     */
    public static Optional<LocalTextEncoder> sharing(
            CausalEncoder encoder,
            Pooling pooling,
            ComputeDevice device,
            Duration turn,
            WeightLayout layout,
            WeightCache loaded) {
        TensorSelection read = tensors(encoder, pooling);
        OpenedModel model = encoder.model();
        WeightCache.Key key =
                WeightCache.Key.of(
                        model.range(model.shape().allLayers()), ShardDevices.of(device), layout);
        return loaded.find(key)
                .filter(weights -> weights.experts().isEmpty() && weights.haveAll(read))
                .filter(ShardWeights::borrow)
                .map(weights -> new LocalTextEncoder(encoder, pooling, device, turn, weights));
    }

    private static TensorSelection tensors(TextEncoder encoder, Pooling pooling) {
        if (pooling == Pooling.RANK && !encoder.ranks()) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    "the file has no classifier (cls.weight or cls.output.weight), so that the"
                            + " model ranks no documents");
        }
        return encoder instanceof CausalEncoder causal
                ? causal.tensors(pooling)
                : encoder.tensors();
    }

    @Override
    public Pooling pooling() {
        return pooling;
    }

    @Override
    public int width() {
        return encoder.sizes().embeddingLength();
    }

    @Override
    public long weightBytes() {
        return weightBytes;
    }

    @Override
    public float[][] encode(List<int[]> texts, BooleanSupplier cancelled) {
        TextBatch batch = TextBatch.of(texts);
        int tensors = tensors(batch);
        return split(
                batch, runner.run(tensors, context -> record(context, tensors, batch), cancelled));
    }

    private int tensors(TextBatch batch) {
        int tiles = EncoderAttentionBlock.tiles(batch, MOST_HEADS);
        int layer = TENSORS_PER_LAYER + EncoderAttentionBlock.TENSORS_PER_TILE * tiles;
        return TENSORS_PER_GRAPH
                + encoder.layers() * layer
                + weights.tensorsOfTiles(Math.max(batch.tokens(), batch.texts().size()));
    }

    private EncoderRunner.Recorded record(GgmlContext context, int tensors, TextBatch batch) {
        Graph graph = context.newGraph(tensors);
        EncoderGraphBuilder builder =
                new EncoderGraphBuilder(
                        context, graph, weights, batch, states(), device.bufferType().isHost());
        Tensor rows = encoder.build(builder);
        Tensor result = new TextPooling(builder, batch, encoder).pool(rows, pooling).markOutput();
        graph.expand(result);
        runner.allocate(graph);
        builder.inputs().fill();
        return new EncoderRunner.Recorded(builder.parts(), result);
    }

    private List<LayerState> states() {
        return encoder instanceof CausalEncoder causal ? causal.states() : List.of();
    }

    /** Divides the result by texts, in the caller's order. */
    private float[][] split(TextBatch batch, float[] values) {
        requireNumbers(values);
        float[][] results = new float[batch.texts().size()][];
        int tokens = batch.tokens();
        int at = 0;
        for (int text = 0; text < results.length; text++) {
            int length =
                    pooling == Pooling.NONE
                            ? values.length / tokens * batch.texts().get(text).length
                            : values.length / results.length;
            int used = pooling == Pooling.RANK ? 1 : length;
            float[] own = new float[used];
            System.arraycopy(values, at, own, 0, used);
            results[batch.order()[text]] = own;
            at += length;
        }
        return results;
    }

    private static void requireNumbers(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new VarveException(
                        VarveException.Kind.BACKEND_FAILED,
                        "the model computed a value that is no number");
            }
        }
    }

    @Override
    public void close() {
        runner.close();
    }
}
