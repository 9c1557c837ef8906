package dev.varve.platform.draft;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * K and V rows of a draft network, F16, zero where nothing was written. Each sequence has a region:
 * first the rows of the block that is being guessed, then a ring of context rows, a position in
 * slot {@code position mod capacity}. One more row at the very end takes what only fills a graph.
 */
final class DraftCache implements AutoCloseable {
    /** Rows that a region grows and is read in. */
    static final int STEP = 64;

    /** Rows of one layer, {@code [keyLength, rows]} each. */
    record Layer(Tensor keys, Tensor values) {}

    private final int blockRows;
    private final int capacity;
    private final int regionRows;
    private final int rows;
    private final List<Layer> layers = new ArrayList<>();
    private final GgmlContext context;
    private final DeviceBuffer buffer;

    /**
     * @param regions sequences that can be there at once
     * @param capacity context positions of a sequence
     */
    DraftCache(DraftNetwork network, int regions, int capacity, BufferType type) {
        blockRows = network.block().tokens();
        this.capacity = capacity;
        regionRows = roundUp(blockRows + capacity);
        rows = regions * regionRows + STEP;
        context = GgmlContext.open(2 * network.layers() + 1, 0);
        try {
            int length = network.heads().keyLength();
            for (int layer = 0; layer < network.layers(); layer++) {
                layers.add(
                        new Layer(
                                context.newTensor(GgmlType.F16, length, rows),
                                context.newTensor(GgmlType.F16, length, rows)));
            }
            buffer = context.allocate(type).orElseThrow();
            buffer.clear();
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /** Bytes that such a cache needs. */
    static long bytes(DraftNetwork network, int regions, int capacity) {
        long rows = (long) regions * roundUp(network.block().tokens() + capacity) + STEP;
        return 2L * network.layers() * GgmlType.F16.rowBytes(network.heads().keyLength()) * rows;
    }

    private static int roundUp(int rows) {
        return (rows + STEP - 1) / STEP * STEP;
    }

    Layer layer(int layer) {
        return layers.get(layer);
    }

    int capacity() {
        return capacity;
    }

    int begin(int region) {
        return region * regionRows;
    }

    /** Row of a slot of the block. */
    int blockRow(int region, int slot) {
        return begin(region) + slot;
    }

    /** Row of a context position. */
    int contextRow(int region, int position) {
        return begin(region) + blockRows + position % capacity;
    }

    /** Rows to read of a region so that all context up to a position is among them. */
    int rowsToRead(int end) {
        return roundUp(blockRows + Math.min(end, capacity));
    }

    /** Row that nobody reads. */
    int spareRow() {
        return rows - 1;
    }

    long bytes() {
        return buffer.size();
    }

    @Override
    public void close() {
        buffer.close();
        context.close();
    }
}
