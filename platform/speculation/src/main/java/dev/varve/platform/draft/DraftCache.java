package dev.varve.platform.draft;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
import java.util.List;

/** K and V rows of a draft network, F16, initially zero. */
final class DraftCache implements AutoCloseable {
    /** Rows of one layer, {@code [keyLength, rows]} each. */
    record Layer(Tensor keys, Tensor values) {}

    private final DraftRegions regions;
    private final List<Layer> layers = new ArrayList<>();
    private final GgmlContext context;
    private final DeviceBuffer buffer;

    DraftCache(DraftHyperparameters network, DraftRegions regions, BufferType type) {
        this.regions = regions;
        context = GgmlContext.open(2 * network.layers() + 1, 0);
        try {
            int length = network.heads().keyLength();
            for (int layer = 0; layer < network.layers(); layer++) {
                layers.add(
                        new Layer(
                                context.newTensor(GgmlType.F16, length, regions.rows()),
                                context.newTensor(GgmlType.F16, length, regions.rows())));
            }
            buffer = context.allocate(type).orElseThrow();
            buffer.clear();
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /** Bytes that such a cache needs. */
    static long bytes(DraftHyperparameters network, DraftRegions regions) {
        long rowBytes = GgmlType.F16.rowBytes(network.heads().keyLength());
        return 2L * network.layers() * rowBytes * regions.rows();
    }

    Layer layer(int layer) {
        return layers.get(layer);
    }

    /** Assignment of rows to sequences. */
    DraftRegions regions() {
        return regions;
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
