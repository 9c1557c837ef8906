package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.Pages;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * K and V rows of the attention layers of one kind in a shard: per layer one K tensor {@code
 * [keyLength * kvHeads, slots]} and one V tensor {@code [valueLength * kvHeads, slots]}.
 */
final class KvPool implements RowMover, AutoCloseable {
    /** The cache of one layer. */
    record Layer(LayerState.Attention state, Tensor keys, Tensor values) {}

    private final Map<Integer, Layer> layers = new TreeMap<>();
    private final GgmlContext context;
    private final Optional<DeviceBuffer> buffer;

    /**
     * @param kind kind of layers whose rows are stored here
     */
    KvPool(
            ModelShape shape,
            LayerRange range,
            Class<? extends LayerState.Attention> kind,
            CacheTypes types,
            int slots,
            BufferType bufferType) {
        context = GgmlContext.open(2 * range.size() + 1, 0);
        try {
            for (int layer = range.begin(); layer < range.end(); layer++) {
                if (kind.isInstance(shape.layers().get(layer))) {
                    LayerState.Attention state = kind.cast(shape.layers().get(layer));
                    Tensor keys =
                            context.newTensor(
                                    types.key(), (long) state.keyLength() * state.kvHeads(), slots);
                    Tensor values =
                            context.newTensor(
                                    types.value(),
                                    (long) state.valueLength() * state.kvHeads(),
                                    slots);
                    layers.put(
                            layer,
                            new Layer(state, keys.named("k." + layer), values.named("v." + layer)));
                }
            }
            buffer = layers.isEmpty() ? Optional.empty() : context.allocate(bufferType);
            // Unwritten rows are masked, but a NaN among them would survive the mask.
            buffer.ifPresent(DeviceBuffer::clear);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    private KvPool(Map<Integer, Layer> layers, GgmlContext context, BufferType bufferType) {
        this.layers.putAll(layers);
        this.context = context;
        buffer = context.allocate(bufferType);
        buffer.ifPresent(DeviceBuffer::clear);
    }

    /**
     * Creates one K tensor and one V tensor that all full attention layers of a model share in
     * turn: a layer processes all tokens before the next one begins.
     *
     * @throws IllegalArgumentException if their rows differ in length, or there are no such layers
     */
    static KvPool inTurns(ModelShape shape, CacheTypes types, int slots, BufferType bufferType) {
        List<LayerState.FullAttention> states =
                shape.layers().stream()
                        .filter(LayerState.FullAttention.class::isInstance)
                        .map(LayerState.FullAttention.class::cast)
                        .toList();
        if (states.stream().distinct().count() != 1) {
            throw new IllegalArgumentException("layers of full attention must be alike: " + states);
        }
        LayerState.Attention state = states.getFirst();
        GgmlContext context = GgmlContext.open(3, 0);
        try {
            long width = state.kvHeads();
            Layer layer =
                    new Layer(
                            state,
                            context.newTensor(types.key(), state.keyLength() * width, slots)
                                    .named("k"),
                            context.newTensor(types.value(), state.valueLength() * width, slots)
                                    .named("v"));
            Map<Integer, Layer> layers = new TreeMap<>();
            for (int number = 0; number < shape.layerCount(); number++) {
                if (shape.layers().get(number) instanceof LayerState.FullAttention) {
                    layers.put(number, layer);
                }
            }
            return new KvPool(layers, context, bufferType);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /** The caches by layer. */
    Map<Integer, Layer> layers() {
        return layers;
    }

    Layer layer(int layer) {
        Layer found = layers.get(layer);
        if (found == null) {
            throw new IllegalArgumentException(
                    "layer " + layer + " keeps no K and V rows in this shard");
        }
        return found;
    }

    long bytes() {
        return buffer.map(DeviceBuffer::size).orElse(0L);
    }

    /**
     * Copies rows of all layers, block by block through host memory, so that overlapping regions
     * are copied correctly.
     */
    @Override
    public void move(int from, int to, int count) {
        byte[] scratch = new byte[0];
        for (Layer layer : layers.values()) {
            for (Tensor tensor : new Tensor[] {layer.keys(), layer.values()}) {
                int rowBytes = Math.toIntExact(tensor.nb(1));
                int blockBytes = Math.multiplyExact(KvSlotSpan.BLOCK, rowBytes);
                if (scratch.length < blockBytes) {
                    scratch = new byte[blockBytes];
                }
                for (int done = 0; done < count; done += KvSlotSpan.BLOCK) {
                    // Direction by the overlap: forwards when moving down, backwards when moving
                    // up.
                    int step =
                            to < from
                                    ? done
                                    : (count - 1) / KvSlotSpan.BLOCK * KvSlotSpan.BLOCK - done;
                    int bytes = Math.min(KvSlotSpan.BLOCK, count - step) * rowBytes;
                    tensor.readBytes(scratch, 0, bytes, (long) (from + step) * rowBytes);
                    tensor.writeBytes(scratch, 0, bytes, (long) (to + step) * rowBytes);
                }
            }
        }
    }

    /**
     * Rearranges pages of all layers.
     *
     * @param begin first slot of their span
     * @param runs for each run the index of the run whose rows move there; each run of the span
     *     once
     */
    void permute(int begin, int[] runs) {
        for (Layer layer : layers.values()) {
            for (Tensor tensor : new Tensor[] {layer.keys(), layer.values()}) {
                int pageBytes = Math.toIntExact(Pages.TOKENS * tensor.nb(1));
                long first = begin * tensor.nb(1);
                byte[] before = new byte[Math.multiplyExact(runs.length, pageBytes)];
                tensor.readBytes(before, 0, before.length, first);
                for (int run = 0; run < runs.length; run++) {
                    if (runs[run] != run) {
                        long to = first + (long) run * pageBytes;
                        tensor.writeBytes(before, runs[run] * pageBytes, pageBytes, to);
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        buffer.ifPresent(DeviceBuffer::close);
        context.close();
    }
}
