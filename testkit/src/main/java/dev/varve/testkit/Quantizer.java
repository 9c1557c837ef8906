package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Converts rows of floats to any {@link TensorType} with ggml's own quantisers. */
public final class Quantizer {
    /** A class of its own, so that models in F32 are written without ggml. */
    private static final class Native {
        /**
         * {@code size_t ggml_quantize_chunk(enum ggml_type type, const float * src, void * dst,
         * int64_t start, int64_t nrows, int64_t n_per_row, const float * imatrix)}
         */
        private static final MethodHandle QUANTIZE_CHUNK =
                NativeFolder.bind(
                        NativeFolder.BASE,
                        "ggml_quantize_chunk",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG,
                                JAVA_LONG, ADDRESS));
    }

    private Quantizer() {}

    /**
     * Quantises whole rows.
     *
     * @param values the first {@code rows * rowElements} are read
     * @return {@code rows * type.rowBytes(rowElements)} bytes
     * @throws IllegalArgumentException if the row is not a multiple of the block, or {@code values}
     *     is too short
     */
    public static byte[] quantize(TensorType type, float[] values, int rows, int rowElements) {
        long rowBytes = type.rowBytes(rowElements);
        if (rows < 1 || (long) rows * rowElements > values.length || !type.holdsFloats()) {
            throw new IllegalArgumentException(
                    rows
                            + " rows of "
                            + rowElements
                            + " "
                            + type
                            + " from "
                            + values.length
                            + " floats");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(4L * rows * rowElements, 64);
            MemorySegment.copy(values, 0, source, JAVA_FLOAT, 0, rows * rowElements);
            if (type == TensorType.F32) {
                return source.toArray(JAVA_BYTE);
            }
            MemorySegment target = arena.allocate(rows * rowBytes, 64);
            long written =
                    (long)
                            Native.QUANTIZE_CHUNK.invokeExact(
                                    type.ggmlId(),
                                    source,
                                    target,
                                    0L,
                                    (long) rows,
                                    (long) rowElements,
                                    MemorySegment.NULL);
            if (written != target.byteSize()) {
                throw new IllegalStateException(
                        type
                                + ": expected "
                                + target.byteSize()
                                + " quantised bytes, ggml wrote "
                                + written);
            }
            return target.toArray(JAVA_BYTE);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a downcall throws no checked exception", e);
        }
    }
}
