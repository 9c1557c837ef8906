package dev.varve.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Deterministic random contents of tensors; a tensor's values depend on the seed and its name
 * alone.
 */
final class RandomRows {
    /**
     * Blocks in the pattern; more than any vocabulary has rows, so that no two rows of a matrix are
     * equal.
     */
    private static final int PATTERN_ROWS = 1 << 18;

    private static final int PATTERN_BLOCK = 32;

    private final long seed;
    private final Map<PatternKey, byte[]> patterns = new HashMap<>();

    private record PatternKey(TensorType type, double deviation) {}

    RandomRows(long seed) {
        this.seed = TestSeed.of(seed);
    }

    TensorData.RowGenerator gaussian(String tensor, double mean, double deviation) {
        return (row, values) -> {
            SplittableRandom random = streamOf(tensor, row);
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) (mean + deviation * random.nextGaussian());
            }
        };
    }

    /** Values around 1 and -1. */
    TensorData.RowGenerator signed(String tensor, double deviation) {
        return (row, values) -> {
            SplittableRandom random = streamOf(tensor, row);
            for (int i = 0; i < values.length; i++) {
                values[i] =
                        (float)
                                ((random.nextBoolean() ? 1 : -1)
                                        * (1 + deviation * random.nextGaussian()));
            }
        };
    }

    /**
     * {@code -exp(A_log)}: from slow to fast decay, evenly in the logarithm between -0.05 and -2.
     */
    TensorData.RowGenerator negativeDecay(String tensor) {
        return (row, values) -> {
            SplittableRandom random = streamOf(tensor, row);
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) -Math.exp(random.nextDouble(Math.log(0.05), Math.log(2)));
            }
        };
    }

    /**
     * Rows that are slices of one long quantised gaussian pattern, each from another block on. Two
     * rows share values, but never at the same column.
     *
     * @param zeroRows rows of zero bytes, counted over all matrices of the tensor
     * @throws IllegalArgumentException if the type's block is not that of the pattern, {@value
     *     #PATTERN_BLOCK}
     */
    TensorData patterned(
            String tensor,
            TensorType type,
            List<Long> shape,
            double deviation,
            Set<Integer> zeroRows) {
        long rows = shape.stream().skip(1).reduce(1L, Math::multiplyExact);
        if (type.blockElements() != PATTERN_BLOCK || rows > PATTERN_ROWS) {
            throw new IllegalArgumentException(
                    "tensor " + tensor + ": no pattern for " + type + " " + shape);
        }
        long start = streamOf(tensor, 0).nextLong();
        int rowBytes = Math.toIntExact(type.rowBytes(shape.getFirst()));
        return new TensorData.Raw(
                out -> {
                    byte[] pattern =
                            patterns.computeIfAbsent(
                                    new PatternKey(type, deviation), this::quantisedPattern);
                    byte[] zeros = new byte[rowBytes];
                    for (int row = 0; row < rows; row++) {
                        // An odd stride visits every block of a power of two once.
                        int block = (int) ((start + row * 40503L) & PATTERN_ROWS - 1);
                        if (zeroRows.contains(row)) {
                            out.write(zeros);
                        } else {
                            out.write(pattern, block * type.blockBytes(), rowBytes);
                        }
                    }
                });
    }

    /** The pattern with one longest row appended, so that a slice never wraps around. */
    private byte[] quantisedPattern(PatternKey key) {
        TensorType type = key.type();
        int blocks = PATTERN_ROWS + (1 << 12);
        float[] chunk = new float[1 << 16];
        int chunkBlocks = chunk.length / PATTERN_BLOCK;
        byte[] pattern = new byte[blocks * type.blockBytes()];
        TensorData.RowGenerator gaussian = gaussian("pattern", 0, key.deviation());
        for (int block = 0; block < blocks; block += chunkBlocks) {
            gaussian.fill(block, chunk);
            byte[] bytes = Quantizer.quantize(type, chunk, 1, chunk.length);
            System.arraycopy(bytes, 0, pattern, block * type.blockBytes(), bytes.length);
        }
        return pattern;
    }

    private SplittableRandom streamOf(String tensor, long row) {
        long tensorSeed =
                new SplittableRandom(seed * 0x9E3779B97F4A7C15L + tensor.hashCode()).nextLong();
        return new SplittableRandom(tensorSeed + row);
    }
}
