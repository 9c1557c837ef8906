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
import dev.varve.platform.shard.DeviceTurn;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * An image encoder on a device of this process. The sizes of images rarely repeat, so each image
 * has a graph of its own, and all of them use the same memory in turn. Thread-safe; images wait for
 * one another, and take turns with the shards on the device.
 */
public final class LocalImageEncoder implements AutoCloseable {
    private final ImageEncoder encoder;
    private final ComputeDevice device;
    private final EncoderPace pace;
    private final ShardWeights weights;
    private final GraphAllocator allocator;
    private volatile long allocatedBytes;
    private volatile boolean closed;
    private boolean freed;
    private volatile long turns;

    /** Held for a whole image: the next one uses the same memory. */
    private final ReentrantLock memory = new ReentrantLock();

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

    /** Computes the rows of an image that is always needed. */
    public float[] encode(ImagePixels pixels) {
        return encode(pixels, () -> false);
    }

    /**
     * Computes the rows of an image. The device computes for others in between.
     *
     * @param cancelled whether the rows are no longer needed, asked from time to time
     * @return {@code [width, tokens]}
     * @throws VarveException of kind OUT_OF_MEMORY if the image needs more memory than is free,
     *     BACKEND_FAILED if the device fails, UNAVAILABLE if the encoder is closed
     * @throws CancellationException if it was cancelled
     */
    public float[] encode(ImagePixels pixels, BooleanSupplier cancelled) {
        memory.lock();
        try {
            requireWanted(cancelled);
            int tensors = encoder.graphTensors();
            int all =
                    tensors
                            + ImageGraphBuilder.tensorsOfTiles(
                                    tensors, weights, patchColumns(pixels));
            try (GgmlContext context = GgmlContext.open(all, all)) {
                return compute(context, all, pixels, cancelled);
            }
        } finally {
            memory.unlock();
        }
    }

    private void requireWanted(BooleanSupplier cancelled) {
        if (closed) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE, "the model of the image is being closed");
        }
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("the encoding of an image was cancelled");
        }
    }

    /** Columns of the widest products: no encoder has more than one for each 8x8 pixels. */
    private static int patchColumns(ImagePixels pixels) {
        return Math.max(1, pixels.width() / 8 * (pixels.height() / 8));
    }

    /** A graph with its memory and inputs. */
    private record Recorded(List<Graph> parts, Tensor rows) {}

    private float[] compute(
            GgmlContext context, int tensors, ImagePixels pixels, BooleanSupplier cancelled) {
        Recorded recorded = DeviceTurn.take(device.lock(), () -> record(context, tensors, pixels));
        int done = 0;
        while (done < recorded.parts().size()) {
            requireWanted(cancelled);
            int first = done;
            done = DeviceTurn.take(device.lock(), () -> computeTurn(recorded.parts(), first));
        }
        float[] values = new float[Math.toIntExact(recorded.rows().elements())];
        DeviceTurn.take(
                device.lock(),
                () -> {
                    recorded.rows().read(values, 0, values.length, 0);
                    return null;
                });
        return values;
    }

    private Recorded record(GgmlContext context, int tensors, ImagePixels pixels) {
        weights.requireWhole();
        boolean onHost = device.bufferType().isHost();
        Graph graph = context.newGraph(tensors);
        ImageGraphBuilder recorded =
                new ImageGraphBuilder(context, graph, weights, onHost, pace.work());
        Tensor rows = encoder.build(recorded, pixels).markOutput();
        List<Graph> parts = recorded.parts(rows);
        requireSupported(graph);
        allocator.reserve(graph);
        allocator.allocate(graph);
        allocatedBytes = allocator.bufferBytes();
        recorded.fill();
        return new Recorded(parts, rows);
    }

    /** Computes parts until the time of a turn is over; returns the number of all done ones. */
    private int computeTurn(List<Graph> parts, int first) {
        weights.requireWhole();
        long begin = System.nanoTime();
        long last = 0;
        long passed = 0;
        int done = first;
        do {
            device.compute(parts.get(done), Phase.PREFILL);
            done++;
            long now = System.nanoTime() - begin;
            last = now - passed;
            passed = now;
        } while (done < parts.size() && passed + last <= pace.turn().toNanos());
        turns = turns + 1;
        return done;
    }

    /** Number of times that the device was taken for parts of images. */
    public long turns() {
        return turns;
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
        closed = true;
        memory.lock();
        try {
            DeviceTurn.take(
                    device.lock(),
                    () -> {
                        free();
                        return null;
                    });
        } finally {
            memory.unlock();
        }
    }

    private void free() {
        if (!freed) {
            freed = true;
            allocator.close();
            weights.close();
        }
    }
}
