package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * K and V rows of the full-attention layers of a shard: per layer one K tensor {@code [keyLength *
 * kvHeads, slots]} and one V tensor {@code [valueLength * kvHeads, slots]}.
 */
final class KvPool implements AutoCloseable {
    /** The cache of one layer. */
    record Layer(LayerState.FullAttention state, Tensor keys, Tensor values) {}

    private final Map<Integer, Layer> layers = new TreeMap<>();
    private final GgmlContext context;
    private final Optional<DeviceBuffer> buffer;

    KvPool(ModelShape shape, LayerRange range, CacheTypes types, int slots, BufferType bufferType) {
        context = GgmlContext.open(2 * range.size() + 1, 0);
        try {
            for (int layer = range.begin(); layer < range.end(); layer++) {
                if (shape.layers().get(layer) instanceof LayerState.FullAttention state) {
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
            // Rows that nobody wrote are masked, but a NaN among them would survive the mask.
            buffer.ifPresent(DeviceBuffer::clear);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /** Bytes per slot over all layers of the model. */
    static long bytesPerSlot(ModelShape shape, LayerRange range, CacheTypes types) {
        long bytes = 0;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.FullAttention full) {
                bytes +=
                        types.key().rowBytes((long) full.keyLength() * full.kvHeads())
                                + types.value()
                                        .rowBytes((long) full.valueLength() * full.kvHeads());
            }
        }
        return bytes;
    }

    /** Refuses cache types whose blocks do not divide the heads, before ggml would. */
    static void requireFits(GgufFile file, ModelShape shape, CacheTypes types) {
        for (LayerState state : shape.layers()) {
            if (state instanceof LayerState.FullAttention full) {
                requireDivides(file, "--cache-type-k", types.key(), full.keyLength());
                requireDivides(file, "--cache-type-v", types.value(), full.valueLength());
            }
        }
    }

    private static void requireDivides(GgufFile file, String flag, GgmlType type, int headLength) {
        if (headLength % type.blockSize() != 0) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    flag
                            + ": "
                            + type.ggufName()
                            + " needs heads of a multiple of "
                            + type.blockSize()
                            + " elements, "
                            + file.path().getFileName()
                            + " has heads of "
                            + headLength
                            + "; use f16");
        }
    }

    /** The rotations that the cache of a range needs. */
    static HadamardRotation rotation(
            ModelShape shape, LayerRange range, CacheTypes types, BufferType bufferType) {
        HadamardRotation rotation = new HadamardRotation(bufferType);
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.FullAttention full) {
                HadamardRotation.keyBlock(types.key(), full.keyLength())
                        .ifPresent(rotation::prepare);
                HadamardRotation.valueBlock(types.value(), full.valueLength())
                        .ifPresent(rotation::prepare);
            }
        }
        return rotation;
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
     * Copies rows of all layers; block by block through a copy, so that overlapping regions come
     * out right.
     */
    void move(int from, int to, int count) {
        byte[] scratch = new byte[0];
        for (Layer layer : layers.values()) {
            for (Tensor tensor : new Tensor[] {layer.keys(), layer.values()}) {
                int rowBytes = Math.toIntExact(tensor.nb(1));
                int blockBytes = Math.multiplyExact(SlotSpan.BLOCK, rowBytes);
                if (scratch.length < blockBytes) {
                    scratch = new byte[blockBytes];
                }
                for (int done = 0; done < count; done += SlotSpan.BLOCK) {
                    // Away from the overlap: forwards when moving down, backwards when moving up.
                    int step =
                            to < from ? done : (count - 1) / SlotSpan.BLOCK * SlotSpan.BLOCK - done;
                    int bytes = Math.min(SlotSpan.BLOCK, count - step) * rowBytes;
                    tensor.readBytes(scratch, 0, bytes, (long) (from + step) * rowBytes);
                    tensor.writeBytes(scratch, 0, bytes, (long) (to + step) * rowBytes);
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
