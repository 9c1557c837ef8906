package dev.varve.platform.shard;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.HashMap;
import java.util.Map;

/**
 * Places on the device of a shard into which the shard before copies its activations, so that these
 * need not pass through the host. A few batches may be under way; their places are used in turn.
 * One thread writes while another one reads.
 */
final class BoundaryRing implements AutoCloseable {
    /** More than the batches that a pipeline has under way between two shards. */
    private static final int PLACES = 8;

    /** Shapes that are kept; most batches have one of a few lengths. */
    private static final int KEPT_SHAPES = 64;

    /**
     * An activation in the ring.
     *
     * @param serial how many were put there before
     */
    record Entry(BoundaryRing ring, long serial, int tokens) {}

    /** The ring's memory seen as activations of one length. */
    private record Shape(GgmlContext context, Tensor[] places) {}

    private final int length;
    private final int mostTokens;
    private final long placeBytes;
    private final DeviceBuffer buffer;
    private final Map<Integer, Shape> shapes = new HashMap<>();
    private final long[] serials = new long[PLACES];
    private long next;

    /**
     * @param length elements per token
     * @param mostTokens tokens of the longest batch
     */
    BoundaryRing(BufferType type, int length, int mostTokens) {
        this.length = length;
        this.mostTokens = mostTokens;
        long bytes = (long) length * mostTokens * Float.BYTES;
        placeBytes = Math.ceilDiv(bytes, type.alignment()) * type.alignment();
        // Some devices want room behind a tensor.
        buffer = type.allocate(PLACES * placeBytes + placeBytes);
    }

    boolean takes(int tokens) {
        return tokens <= mostTokens;
    }

    long bytes() {
        return buffer.size();
    }

    /** Copies an activation {@code F32 [length, tokens]} in. */
    synchronized Entry put(Tensor activation) {
        int tokens = Math.toIntExact(activation.ne(1));
        int place = (int) (next % PLACES);
        activation.copyTo(shape(tokens).places()[place]);
        serials[place] = next;
        return new Entry(this, next++, tokens);
    }

    /** Copies an activation out. */
    synchronized void get(Entry entry, Tensor target) {
        int place = (int) (entry.serial() % PLACES);
        if (entry.ring() != this || serials[place] != entry.serial()) {
            throw new IllegalStateException("the activation was overwritten by a later one");
        }
        shape(entry.tokens()).places()[place].copyTo(target);
    }

    private Shape shape(int tokens) {
        if (shapes.size() == KEPT_SHAPES && !shapes.containsKey(tokens)) {
            shapes.values().forEach(shape -> shape.context().close());
            shapes.clear();
        }
        return shapes.computeIfAbsent(tokens, this::describe);
    }

    private Shape describe(int tokens) {
        GgmlContext context = GgmlContext.open(PLACES, 0);
        Tensor[] places = new Tensor[PLACES];
        for (int place = 0; place < PLACES; place++) {
            places[place] = context.newTensor(GgmlType.F32, length, tokens);
            buffer.place(places[place], place * placeBytes);
        }
        return new Shape(context, places);
    }

    @Override
    public synchronized void close() {
        shapes.values().forEach(shape -> shape.context().close());
        shapes.clear();
        buffer.close();
    }
}
