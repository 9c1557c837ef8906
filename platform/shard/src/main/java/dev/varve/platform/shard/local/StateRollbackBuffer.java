package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.RollbackBufferSizes;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Inputs of gated delta nets from drafted chunks. Their states are advanced from these when the
 * accepted tokens are known. Two orders of magnitude smaller than a state per token, which is kept
 * for states that families define.
 */
final class StateRollbackBuffer implements AutoCloseable {
    private static final int TENSORS_PER_LAYER = 5;

    /**
     * Inputs of a layer, F32, {@code [.., tokens, buffers]}.
     *
     * @param convolution {@code [channels, tokens, buffers]}
     * @param keys {@code [size, valueHeads, tokens, buffers]}
     * @param values shaped like the keys; deltas, if the device's own rule keeps those
     * @param decay {@code [valueHeads, tokens, buffers]}
     * @param beta shaped like the decay
     */
    record Layer(Tensor convolution, Tensor keys, Tensor values, Tensor decay, Tensor beta) {}

    private final Map<Integer, Layer> layers = new TreeMap<>();

    /** States of families after each token, {@code F32 [elements, tokens, buffers]}. */
    private final Map<Integer, Map<LayerState.Custom.Part, Tensor>> ownLayers = new TreeMap<>();

    private final GgmlContext context;
    private final Optional<DeviceBuffer> buffer;

    StateRollbackBuffer(
            ModelShape shape, LayerRange range, RollbackBufferSizes sizes, BufferType bufferType) {
        context = GgmlContext.open(tensors(shape, range) + 1, 0);
        try {
            int tokens = sizes.tokens();
            int count = sizes.count();
            for (int layer = range.begin(); layer < range.end() && count > 0; layer++) {
                if (shape.layers().get(layer) instanceof LayerState.Recurrent state) {
                    int heads = state.valueHeads();
                    int size = state.stateSize();
                    layers.put(
                            layer,
                            new Layer(
                                    tensor(state.convChannels(), tokens, count),
                                    tensor(size, heads, tokens, count),
                                    tensor(size, heads, tokens, count),
                                    tensor(heads, tokens, count),
                                    tensor(heads, tokens, count)));
                } else if (shape.layers().get(layer) instanceof LayerState.Custom own) {
                    Map<LayerState.Custom.Part, Tensor> parts = new LinkedHashMap<>();
                    own.parts()
                            .forEach(
                                    part ->
                                            parts.put(
                                                    part, tensor(part.elements(), tokens, count)));
                    ownLayers.put(layer, parts);
                }
            }
            ownLayers.values().removeIf(Map::isEmpty);
            buffer = isEmpty() ? Optional.empty() : context.allocate(bufferType);
            buffer.ifPresent(DeviceBuffer::clear);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    private static int tensors(ModelShape shape, LayerRange range) {
        int tensors = 0;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            tensors +=
                    state instanceof LayerState.Custom own ? own.parts().size() : TENSORS_PER_LAYER;
        }
        return tensors;
    }

    /** Whether no layer of the shard needs it. */
    boolean isEmpty() {
        return layers.isEmpty() && ownLayers.isEmpty();
    }

    /** States of families after each token of a drafted chunk, by layer. */
    Map<Integer, Map<LayerState.Custom.Part, Tensor>> ownLayers() {
        return ownLayers;
    }

    /**
     * Views the state after one token of consecutive buffers: {@code F32 [elements, sequences]}.
     */
    static Tensor after(Ops ops, Tensor states, int token, int buffer, int sequences) {
        return ops.view2d(
                states,
                states.ne(0),
                sequences,
                states.nb(2),
                token * states.nb(1) + buffer * states.nb(2));
    }

    private Tensor tensor(long... extents) {
        return context.newTensor(GgmlType.F32, extents);
    }

    /** Layers with rollback buffers. */
    Map<Integer, Layer> layers() {
        return layers;
    }

    Layer layer(int layer) {
        Layer found = layers.get(layer);
        if (found == null) {
            throw new IllegalArgumentException("layer " + layer + " has no rollback buffer");
        }
        return found;
    }

    /** Moves the inputs of a path's tokens to the places of the first tokens. */
    void gather(int number, AcceptedPath path) {
        for (AcceptedPath.Move move : path.moves()) {
            for (Layer layer : layers.values()) {
                move(layer.convolution(), 1, number, move);
                move(layer.keys(), 2, number, move);
                move(layer.values(), 2, number, move);
                move(layer.decay(), 1, number, move);
                move(layer.beta(), 1, number, move);
            }
        }
    }

    /**
     * @param dimension dimension of the tokens
     */
    private static void move(Tensor tensor, int dimension, int number, AcceptedPath.Move move) {
        long begin = number * tensor.nb(dimension + 1);
        byte[] bytes = new byte[Math.toIntExact(move.count() * tensor.nb(dimension))];
        tensor.readBytes(bytes, 0, bytes.length, begin + move.from() * tensor.nb(dimension));
        tensor.writeBytes(bytes, 0, bytes.length, begin + move.to() * tensor.nb(dimension));
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
