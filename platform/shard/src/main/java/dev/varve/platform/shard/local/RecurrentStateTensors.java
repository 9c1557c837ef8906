package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.SequenceChunk;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Recurrent state of a shard, always F32: per gated delta net layer one tensor of convolution
 * inputs and one of matrix states, a row per state. Row {@link SequenceChunk#ZERO_ROW} is the state
 * of an empty sequence and is never written.
 */
final class RecurrentStateTensors implements AutoCloseable {
    /** The states of one layer, {@code [elements, rows]} each. */
    record Layer(LayerState.Recurrent state, Tensor convolution, Tensor matrix) {}

    /** Custom states of a family, {@code [elements, rows]} each. */
    record Own(Map<LayerState.Custom.Part, Tensor> parts) {}

    private final Map<Integer, Layer> layers = new TreeMap<>();
    private final Map<Integer, Own> ownLayers = new TreeMap<>();
    private final int rows;
    private final GgmlContext context;
    private final Optional<DeviceBuffer> buffer;

    RecurrentStateTensors(ModelShape shape, LayerRange range, int rows, BufferType bufferType) {
        this.rows = rows;
        context = GgmlContext.open(tensors(shape, range) + 1, 0);
        try {
            for (int layer = range.begin(); layer < range.end(); layer++) {
                if (shape.layers().get(layer) instanceof LayerState.Recurrent state) {
                    Tensor convolution =
                            context.newTensor(GgmlType.F32, state.convElements(), rows);
                    Tensor matrix = context.newTensor(GgmlType.F32, state.matrixElements(), rows);
                    layers.put(layer, new Layer(state, convolution, matrix));
                } else if (shape.layers().get(layer) instanceof LayerState.Custom state) {
                    Map<LayerState.Custom.Part, Tensor> parts = new LinkedHashMap<>();
                    for (LayerState.Custom.Part part : state.parts()) {
                        parts.put(part, context.newTensor(GgmlType.F32, part.elements(), rows));
                    }
                    ownLayers.put(layer, new Own(parts));
                }
            }
            buffer = tensors(shape, range) == 0 ? Optional.empty() : context.allocate(bufferType);
            buffer.ifPresent(DeviceBuffer::clear);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    private static int tensors(ModelShape shape, LayerRange range) {
        int tensors = 0;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.Recurrent) {
                tensors += 2;
            } else if (state instanceof LayerState.Custom(List<LayerState.Custom.Part> parts)) {
                tensors += parts.size();
            }
        }
        return tensors;
    }

    /** Number of rows, among them that of the empty sequence. */
    int rows() {
        return rows;
    }

    /** The states by layer. */
    Map<Integer, Layer> layers() {
        return layers;
    }

    /** The custom states of families by layer. */
    Map<Integer, Own> ownLayers() {
        return ownLayers;
    }

    Own own(int layer) {
        Own found = ownLayers.get(layer);
        if (found == null) {
            throw new IllegalArgumentException(
                    "layer " + layer + " keeps no custom state in this shard");
        }
        return found;
    }

    Layer layer(int layer) {
        Layer found = layers.get(layer);
        if (found == null) {
            throw new IllegalArgumentException(
                    "layer " + layer + " keeps no recurrent state in this shard");
        }
        return found;
    }

    long bytes() {
        return buffer.map(DeviceBuffer::size).orElse(0L);
    }

    @Override
    public void close() {
        buffer.ifPresent(DeviceBuffer::close);
        context.close();
    }
}
