package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Conversion of floats to the types of model files. */
public final class Quantizer {
    private Quantizer() {}

    /** Converts rows of {@code rowLength} floats; rejects types that need an importance matrix. */
    public static byte[] quantize(GgmlType type, float[] data, int rowLength) {
        if (type == GgmlType.IQ2_XXS || type == GgmlType.IQ2_XS || type == GgmlType.IQ1_S) {
            throw new IllegalArgumentException(type.ggufName() + " needs an importance matrix");
        }
        if (!type.isWeightType()) {
            throw new IllegalArgumentException("floats cannot be converted to " + type.ggufName());
        }
        if (rowLength < 1 || data.length % rowLength != 0) {
            throw new IllegalArgumentException(
                    data.length + " values are not whole rows of " + rowLength);
        }
        long rows = data.length / rowLength;
        long bytes = rows * type.rowBytes(rowLength);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(JAVA_FLOAT, data);
            MemorySegment target = arena.allocate(bytes, Long.BYTES);
            long written =
                    CoreApi.quantizeChunk(
                            type.id(), source, target, 0, rows, rowLength, MemorySegment.NULL);
            if (written != bytes) {
                throw new IllegalStateException(
                        type.ggufName() + ": expected " + bytes + " bytes, ggml wrote " + written);
            }
            return target.toArray(JAVA_BYTE);
        }
    }
}
