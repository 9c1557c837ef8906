package dev.varve.platform.shard.image;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.Locale;

/**
 * An image encoder on a device of this process. The sizes of images rarely repeat, so each image
 * has a graph of its own, and all of them use the same memory in turn. Thread-safe; images wait for
 * one another and for the shards on the device.
 */
public final class LocalImageEncoder implements AutoCloseable {
    private final ImageEncoder encoder;
    private final ComputeDevice device;
    private final ShardWeights weights;
    private final GraphAllocator allocator;
    private volatile long allocatedBytes;
    private boolean closed;

    /**
     * Loads the weights.
     *
     * @param device owned by the caller
     * @throws VarveException of kind OUT_OF_MEMORY if the weights do not fit
     */
    public LocalImageEncoder(
            ImageEncoder encoder, ComputeDevice device, LoadProgressListener progress) {
        this.encoder = encoder;
        this.device = device;
        weights = ShardWeights.load(encoder.tensors(), device, WeightLayout.REPACKED, progress);
        allocator = new GraphAllocator(device.bufferType());
    }

    /** The encoder, as its file describes it. */
    public ImageEncoder encoder() {
        return encoder;
    }

    /** The device that computes. */
    public String device() {
        return device.info().name();
    }

    /** Bytes of the weights, those in the mapped file included. */
    public long weightBytes() {
        return weights.bufferBytes() + weights.mappedBytes();
    }

    /** Bytes of memory for results, as the largest image so far needed them. */
    public long computeBytes() {
        return allocatedBytes;
    }

    /**
     * Computes the rows of an image.
     *
     * @return {@code [width, tokens]}
     * @throws VarveException of kind OUT_OF_MEMORY if the image needs more memory than is free,
     *     BACKEND_FAILED if the device fails
     */
    public float[] encode(ImagePixels pixels) {
        synchronized (device.lock()) {
            if (closed) {
                throw new IllegalStateException("the image encoder is closed");
            }
            weights.requireWhole();
            int tensors = encoder.graphTensors() + weights.tensorsOfTiles(patchColumns(pixels));
            try (GgmlContext context = GgmlContext.open(tensors, tensors)) {
                return compute(context, tensors, pixels);
            }
        }
    }

    /** Columns of the widest products: no encoder has more than one for each 8x8 pixels. */
    private static int patchColumns(ImagePixels pixels) {
        return Math.max(1, pixels.width() / 8 * (pixels.height() / 8));
    }

    private float[] compute(GgmlContext context, int tensors, ImagePixels pixels) {
        boolean onHost = device.bufferType().isHost();
        ImageGraphBuilder recorded = new ImageGraphBuilder(context, weights, onHost);
        Tensor rows = encoder.build(recorded, pixels).markOutput();
        Graph graph = context.newGraph(tensors);
        graph.expand(rows);
        requireSupported(graph);
        allocator.reserve(graph);
        allocator.allocate(graph);
        allocatedBytes = allocator.bufferBytes();
        recorded.fill();
        device.compute(graph, Phase.PREFILL);
        float[] values = new float[Math.toIntExact(rows.elements())];
        rows.read(values, 0, values.length, 0);
        return values;
    }

    private void requireSupported(Graph graph) {
        if (device.ggmlDevice().kind() == GgmlDevice.Kind.CPU) {
            return;
        }
        graph.firstUnsupported(device.ggmlDevice())
                .ifPresent(
                        operator -> {
                            throw new VarveException(
                                    VarveException.Kind.UNAVAILABLE,
                                    String.format(
                                            Locale.ROOT,
                                            "%s does not run %s of the image encoder",
                                            device.info().name(),
                                            operator));
                        });
    }

    @Override
    public void close() {
        synchronized (device.lock()) {
            if (!closed) {
                closed = true;
                allocator.close();
                weights.close();
            }
        }
    }
}
