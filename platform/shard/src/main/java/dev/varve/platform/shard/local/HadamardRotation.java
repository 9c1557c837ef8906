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
import dev.varve.platform.shard.CacheTypes;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Rotates heads by an orthonormal Hadamard matrix before they are quantised: it spreads outliers
 * over the block, so that a quantised KV cache loses less. Queries are rotated like keys, so that
 * the scores do not change; the rotation is its own inverse, so that a second one restores the
 * values.
 *
 * @see <a href="https://arxiv.org/abs/2404.00456">QuaRot, section 3</a>
 */
final class HadamardRotation implements AutoCloseable {
    /** Smallest block; if it does not divide a head, heads are not rotated. */
    private static final int MIN_BLOCK = 64;

    private final GgmlContext context = GgmlContext.open(16, 0);
    private final Map<Integer, Tensor> matrices = new HashMap<>();
    private final Map<Integer, DeviceBuffer> buffers = new HashMap<>();
    private final boolean rotatesKeys;
    private final boolean rotatesValues;
    private final BufferType bufferType;

    private HadamardRotation(boolean rotatesKeys, boolean rotatesValues, BufferType bufferType) {
        this.rotatesKeys = rotatesKeys;
        this.rotatesValues = rotatesValues;
        this.bufferType = bufferType;
    }

    /** Creates the rotations that the layers of a range need for the cache types. */
    static HadamardRotation of(
            ModelShape shape, LayerRange range, CacheTypes types, BufferType bufferType) {
        // All layers or none, and no rows that contain their values, as in libllama.
        boolean keys = types.key().isQuantized();
        boolean values = types.value().isQuantized();
        for (LayerState state : shape.layers()) {
            if (state instanceof LayerState.Attention rows) {
                boolean separate = rows.valueRows() == LayerState.ValueRows.SEPARATE;
                keys &= separate && rows.keyLength() % MIN_BLOCK == 0;
                values &= separate && rows.valueLength() % MIN_BLOCK == 0;
            }
        }
        HadamardRotation rotation = new HadamardRotation(keys, values, bufferType);
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.Attention rows) {
                rotation.keyBlock(rows).ifPresent(rotation::prepare);
                rotation.valueBlock(rows).ifPresent(rotation::prepare);
            }
        }
        return rotation;
    }

    /**
     * Block for keys and queries: the largest power of two that divides the head. Empty without
     * rotation.
     */
    Optional<Integer> keyBlock(LayerState.Attention rows) {
        return rotatesKeys ? Optional.of(Integer.lowestOneBit(rows.keyLength())) : Optional.empty();
    }

    /** Block for values. Empty without rotation. */
    Optional<Integer> valueBlock(LayerState.Attention rows) {
        return rotatesValues ? Optional.of(MIN_BLOCK) : Optional.empty();
    }

    /** Creates the matrix for a block, once per shard. */
    private void prepare(int block) {
        if (matrices.containsKey(block)) {
            return;
        }
        Tensor matrix = context.newTensor(GgmlType.F32, block, block);
        buffers.put(block, context.allocate(bufferType).orElseThrow());
        float[] values = values(block);
        matrix.write(values, 0, values.length, 0);
        matrices.put(block, matrix);
    }

    /** The matrix of a block, row after row; symmetric and orthonormal. */
    static float[] values(int block) {
        float unit = (float) (1 / Math.sqrt(block));
        float[] values = new float[block * block];
        for (int row = 0; row < block; row++) {
            for (int column = 0; column < block; column++) {
                values[row * block + column] =
                        (Integer.bitCount(row & column) & 1) == 0 ? unit : -unit;
            }
        }
        return values;
    }

    /** Rotates every block of a contiguous tensor {@code [headLength, heads, T]}. */
    Tensor rotate(Ops ops, Tensor heads, int block) {
        Tensor source = heads.isContiguous() ? heads : ops.cont(heads);
        Tensor blocks = ops.reshape2d(source, block, source.elements() / block);
        Tensor rotated = ops.mulMatHadamard(matrices.get(block), blocks);
        return ops.reshape3d(rotated, heads.ne(0), heads.ne(1), heads.ne(2));
    }

    @Override
    public void close() {
        buffers.values().forEach(DeviceBuffer::close);
        context.close();
    }
}
