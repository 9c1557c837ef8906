package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.HashMap;
import java.util.Map;

/**
 * Ring of buffers on a shard's device into which the previous shard copies its activations, so that
 * they need not pass through the host. A few batches may be in flight; their buffers are used in
 * turn. One thread may write while another one reads.
 */
final class ActivationRing implements AutoCloseable {
    /** Number of cached shapes; most batches have one of a few lengths. */
    private static final int MAX_CACHED_SHAPES = 64;

    /** The ring's memory as activations of one length. */
    private record RingViews(GgmlContext context, Tensor[] slots) {}

    private final int length;
    private final int mostTokens;
    private final long placeBytes;
    private final DeviceBuffer buffer;
    private final Map<Integer, RingViews> shapes = new HashMap<>();
    private final int places;
    private final long[] serials;
    private long next;

    /**
     * @param length elements per token
     * @param mostTokens tokens of the longest batch
     * @param places more than the batches in flight between the two shards
     */
    ActivationRing(BufferType type, int length, int mostTokens, int places) {
        this.places = places;
        serials = new long[places];
        this.length = length;
        this.mostTokens = mostTokens;
        long bytes = bytesOf(mostTokens);
        placeBytes = Math.ceilDiv(bytes, type.alignment()) * type.alignment();
        // Some devices need padding after a tensor.
        buffer = type.allocate(places * placeBytes + placeBytes);
    }

    boolean fits(int tokens) {
        return tokens <= mostTokens;
    }

    long bytesOf(int tokens) {
        return (long) length * tokens * Float.BYTES;
    }

    long bytes() {
        return buffer.size();
    }

    /** Copies an activation {@code F32 [length, tokens]} in. */
    synchronized DeviceActivations put(Tensor activation) {
        int tokens = Math.toIntExact(activation.ne(1));
        int place = (int) (next % places);
        activation.copyTo(shape(tokens).slots()[place]);
        serials[place] = next;
        return new DeviceActivations(this, next++, tokens);
    }

    /** Copies an activation to a tensor on the same device. */
    synchronized void get(DeviceActivations entry, Tensor target) {
        slot(entry).copyTo(target);
    }

    /** Fetches an activation to the host. */
    synchronized float[] read(DeviceActivations entry) {
        float[] values = new float[Math.multiplyExact(length, entry.tokens())];
        slot(entry).read(values, 0, values.length, 0);
        return values;
    }

    private Tensor slot(DeviceActivations entry) {
        int place = (int) (entry.serial() % places);
        if (entry.ring() != this || serials[place] != entry.serial()) {
            throw new IllegalStateException("the activation was overwritten by a later one");
        }
        return shape(entry.tokens()).slots()[place];
    }

    private RingViews shape(int tokens) {
        if (shapes.size() == MAX_CACHED_SHAPES && !shapes.containsKey(tokens)) {
            shapes.values().forEach(shape -> shape.context().close());
            shapes.clear();
        }
        return shapes.computeIfAbsent(tokens, this::describe);
    }

    private RingViews describe(int tokens) {
        GgmlContext context = GgmlContext.open(places, 0);
        Tensor[] slots = new Tensor[places];
        for (int place = 0; place < places; place++) {
            slots[place] = context.newTensor(GgmlType.F32, length, tokens);
            buffer.place(slots[place], place * placeBytes);
        }
        return new RingViews(context, slots);
    }

    @Override
    public synchronized void close() {
        shapes.values().forEach(shape -> shape.context().close());
        shapes.clear();
        buffer.close();
    }
}
