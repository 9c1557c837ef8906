package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RowLayout;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * K and V rows of the attention layers of one kind in a shard: per layer one K tensor {@code
 * [keyLength * kvHeads, slots]} and one V tensor {@code [valueLength * kvHeads, slots]}, unless its
 * V rows are in its K rows.
 */
final class KvPool implements RowMover, AutoCloseable {
    /**
     * The cache of one layer.
     *
     * @param separateValues V rows that are not in the K rows
     */
    record Layer(LayerState.Attention state, Tensor keys, Optional<Tensor> separateValues) {
        /** Creates the tensors of a layer in a context, without memory. */
        static Layer create(
                GgmlContext context,
                LayerState.Attention state,
                CacheTypes types,
                int slots,
                String suffix) {
            RowLayout layout = RowLayout.of(state, types);
            Tensor keys = context.newTensor(layout.key(), layout.keyLength(), slots);
            return new Layer(
                    state,
                    keys.named("k" + suffix),
                    layout.hasValuesInKeys()
                            ? Optional.empty()
                            : Optional.of(
                                    context.newTensor(layout.value(), layout.valueLength(), slots)
                                            .named("v" + suffix)));
        }

        /** The tensors that are stored: K rows, and V rows that are not in them. */
        List<Tensor> tensors() {
            return separateValues.map(values -> List.of(keys, values)).orElse(List.of(keys));
        }

        /** Types and lengths of the rows. */
        RowLayout layout() {
            return separateValues
                    .map(
                            values ->
                                    new RowLayout(
                                            keys.type(), keys.ne(0), values.type(), values.ne(0)))
                    .orElseGet(() -> new RowLayout(keys.type(), keys.ne(0), keys.type(), 0));
        }

        /** Views the keys of some slots as {@code [keyLength, slots, kvHeads]}. */
        Tensor keyHeads(Ops ops, long slot, long slots) {
            return heads(ops, keys, state.kvHeads(), state.keyLength(), slot, slots);
        }

        /** Views the values of some slots as {@code [valueLength, slots, kvHeads]}. */
        Tensor valueHeads(Ops ops, long slot, long slots) {
            Tensor rows = separateValues.orElse(keys);
            return heads(ops, rows, state.kvHeads(), state.valueLength(), slot, slots);
        }
    }

    /**
     * Views some rows by heads, {@code [length, slots, heads]}.
     *
     * @param length elements at the beginning of each head
     */
    static Tensor heads(Ops ops, Tensor rows, int heads, int length, long slot, long slots) {
        Tensor view =
                ops.view(
                        rows,
                        Extents.of(length, heads, slots),
                        Strides.of(rows.type().rowBytes(rows.ne(0) / heads), rows.nb(1)),
                        slot * rows.nb(1));
        return ops.permute(view, 0, 2, 1, 3);
    }

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
                    layers.put(layer, Layer.create(context, state, types, slots, "." + layer));
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
     * Creates the K and V rows of one layer, which all full attention layers of a model share in
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
            Layer layer = Layer.create(context, state, types, slots, "");
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
            for (Tensor tensor : layer.tensors()) {
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
            for (Tensor tensor : layer.tensors()) {
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
