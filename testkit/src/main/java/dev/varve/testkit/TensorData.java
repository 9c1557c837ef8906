package dev.varve.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Source of the contents of a tensor. Both forms are called only while the file is written, tensor
 * by tensor.
 */
public sealed interface TensorData {
    /** Rows of floats, converted to the tensor's type by the writer. */
    record Floats(RowGenerator rows) implements TensorData {}

    /** Bytes in the tensor's own type. */
    record Raw(RawWriter writer) implements TensorData {}

    /** Fills rows in ascending order, each exactly once; a row is {@code ne[0]} long. */
    @FunctionalInterface
    interface RowGenerator {
        void fill(long row, float[] values);
    }

    /** Writes the whole tensor, exactly as many bytes as its type and shape need. */
    @FunctionalInterface
    interface RawWriter {
        void writeTo(OutputStream out) throws IOException;
    }

    /** All values of a tensor in memory order. */
    static TensorData floats(float[] values) {
        float[] copy = values.clone();
        return new Floats(
                (row, into) ->
                        System.arraycopy(
                                copy, Math.toIntExact(row * into.length), into, 0, into.length));
    }

    /** All bytes of a tensor. */
    static TensorData bytes(byte[] bytes) {
        byte[] copy = bytes.clone();
        return new Raw(out -> out.write(copy));
    }

    /** All values of an I64 tensor in memory order. */
    static TensorData integers(long[] values) {
        ByteBuffer bytes =
                ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(values);
        return bytes(bytes.array());
    }

    /** The same value everywhere. */
    static TensorData constant(float value) {
        return new Floats((row, into) -> Arrays.fill(into, value));
    }
}
