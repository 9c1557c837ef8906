package dev.varve.platform.shard.image;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.EncoderRunner;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * An image encoder on a device of this process. The sizes of images rarely repeat, so each image
 * has a graph of its own, and all of them use the same memory in turn. Thread-safe; images wait for
 * one another, and take turns with the shards on the device.
 */
public final class LocalImageEncoder implements ImageRowEncoder {
    private final ImageEncoder encoder;
    private final ComputeDevice device;
    private final EncoderPace pace;
    private final ShardWeights weights;
    private final EncoderRunner runner;

    /**
     * Loads the weights.
     *
     * @param device owned by the caller
     * @param pace how it shares the device
     * @throws VarveException of kind OUT_OF_MEMORY if the weights do not fit
     */
    public LocalImageEncoder(
            ImageEncoder encoder,
            ComputeDevice device,
            EncoderPace pace,
            LoadProgressListener progress) {
        this.encoder = encoder;
        this.device = device;
        this.pace = pace;
        weights = ShardWeights.load(encoder.tensors(), device, WeightLayout.REPACKED, progress);
        runner = new EncoderRunner("image", device, pace.turn(), weights);
    }

    @Override
    public ImageEncoder encoder() {
        return encoder;
    }

    @Override
    public String device() {
        return device.info().name();
    }

    /** Bytes of the weights, those in the mapped file included. */
    public long weightBytes() {
        return weights.bufferBytes() + weights.mappedBytes();
    }

    /** Bytes of memory for results, as the largest image so far needed them. */
    public long computeBytes() {
        return runner.allocatedBytes();
    }

    /** Computes the rows of an image that is always needed. */
    public float[] encode(ImagePixels pixels) {
        return encode(pixels, () -> false);
    }

    @Override
    public float[] encode(ImagePixels pixels, BooleanSupplier cancelled) {
        int tensors = encoder.graphTensors();
        int all =
                tensors + ImageGraphBuilder.tensorsOfTiles(tensors, weights, patchColumns(pixels));
        return runner.run(all, context -> record(context, all, pixels), cancelled);
    }

    /** Columns of the widest products: no encoder has more than one for each 8x8 pixels. */
    private static int patchColumns(ImagePixels pixels) {
        return Math.max(1, pixels.width() / 8 * (pixels.height() / 8));
    }

    private EncoderRunner.Recorded record(GgmlContext context, int tensors, ImagePixels pixels) {
        boolean onHost = device.bufferType().isHost();
        Graph graph = context.newGraph(tensors);
        ImageGraphBuilder recorded =
                new ImageGraphBuilder(context, graph, weights, onHost, pace.work());
        Tensor rows = encoder.build(recorded, pixels).markOutput();
        List<Graph> parts = recorded.parts(rows);
        runner.allocate(graph);
        recorded.fill();
        return new EncoderRunner.Recorded(parts, rows);
    }

    /** Number of times that the device was taken for parts of images. */
    public long turns() {
        return runner.turns();
    }

    @Override
    public void close() {
        runner.close();
    }
}
