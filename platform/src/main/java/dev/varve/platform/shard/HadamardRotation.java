package dev.varve.platform.shard;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Rotates heads by an orthonormal Hadamard matrix before they are quantised: it spreads outliers
 * over the block, so that a quantised KV cache loses less. Queries are rotated like keys, which
 * leaves the scores as they were; the rotation is its own inverse, which undoes that of the values.
 *
 * @see <a href="https://arxiv.org/abs/2404.00456">QuaRot, section 3</a>
 */
final class HadamardRotation implements AutoCloseable {
    /** Smallest block; heads that it does not divide are not rotated. */
    private static final int MIN_BLOCK = 64;

    private final GgmlContext context = GgmlContext.open(16, 0);
    private final Map<Integer, Tensor> matrices = new HashMap<>();
    private final Map<Integer, DeviceBuffer> buffers = new HashMap<>();
    private final BufferType bufferType;

    HadamardRotation(BufferType bufferType) {
        this.bufferType = bufferType;
    }

    /**
     * Block for keys and queries: the largest power of two that divides the head. Empty where
     * nothing is rotated.
     */
    static Optional<Integer> keyBlock(GgmlType cacheType, int headLength) {
        if (!cacheType.isQuantized() || headLength % MIN_BLOCK != 0) {
            return Optional.empty();
        }
        return Optional.of(Integer.lowestOneBit(headLength));
    }

    /** Block for values. Empty where nothing is rotated. */
    static Optional<Integer> valueBlock(GgmlType cacheType, int headLength) {
        return cacheType.isQuantized() && headLength % MIN_BLOCK == 0
                ? Optional.of(MIN_BLOCK)
                : Optional.empty();
    }

    /** Makes the matrix for a block, once per shard. */
    void prepare(int block) {
        if (matrices.containsKey(block)) {
            return;
        }
        Tensor matrix = context.newTensor(GgmlType.F32, block, block);
        buffers.put(block, context.allocate(bufferType).orElseThrow());
        float unit = (float) (1 / Math.sqrt(block));
        float[] values = new float[block * block];
        for (int row = 0; row < block; row++) {
            for (int column = 0; column < block; column++) {
                values[row * block + column] =
                        (Integer.bitCount(row & column) & 1) == 0 ? unit : -unit;
            }
        }
        matrix.write(values, 0, values.length, 0);
        matrices.put(block, matrix);
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
