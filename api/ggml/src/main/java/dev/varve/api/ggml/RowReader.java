package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads rows of a table in a mapped file as floats, with ggml's own conversion: the same result as
 * {@code get_rows} on the processor. For devices that cannot compute from host memory. Valid while
 * the file is open. Runs per token; for one thread.
 */
public final class RowReader implements AutoCloseable {
    private final MappedFile file;
    private final long offset;
    private final GgmlType type;
    private final int rowLength;
    private final long rows;
    private final long rowBytes;

    /** {@code void to_float(ptr source, ptr target, i64 elements)}; empty for floats. */
    private final Optional<MethodHandle> toFloat;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment row;

    private RowReader(MappedFile file, long offset, GgmlType type, int rowLength, long rows) {
        this.file = file;
        this.offset = offset;
        this.type = type;
        this.rowLength = rowLength;
        this.rows = rows;
        rowBytes = type.rowBytes(rowLength);
        toFloat = RowConversion.of(type);
        row = arena.allocate((long) rowLength * Float.BYTES, Long.BYTES);
    }

    /**
     * Opens a table of rows of {@code rowLength} elements that follow each other from byte {@code
     * offset} on.
     *
     * @throws IllegalArgumentException if the type has no conversion or a row is not whole blocks
     * @throws IndexOutOfBoundsException if the table exceeds the file
     */
    public static RowReader open(
            MappedFile file, long offset, GgmlType type, int rowLength, long rows) {
        if (!type.isWeightType() || rowLength < 1 || rowLength % type.blockSize() != 0) {
            throw new IllegalArgumentException(
                    file.path()
                            + ": "
                            + type.ggufName()
                            + " cannot have rows of "
                            + rowLength
                            + " elements");
        }
        file.slice(offset, Math.multiplyExact(type.rowBytes(rowLength), rows));
        return new RowReader(file, offset, type, rowLength, rows);
    }

    /** Elements of a row. */
    public int rowLength() {
        return rowLength;
    }

    /** Reads a row into {@code target} from {@code first} on. */
    public void read(int index, float[] target, int first) {
        Objects.checkIndex(index, rows);
        Objects.checkFromIndexSize(first, rowLength, target.length);
        MemorySegment source = file.slice(offset + index * rowBytes, rowBytes);
        MemorySegment floats = source;
        if (toFloat.isPresent()) {
            MethodHandle convert = toFloat.get();
            NativeCall.call(
                    convert, NativeCall.pointer(source), NativeCall.pointer(row), rowLength);
            Reference.reachabilityFence(source);
            Reference.reachabilityFence(row);
            floats = row;
        }
        MemorySegment.copy(floats, JAVA_FLOAT_UNALIGNED, 0, target, first, rowLength);
    }

    @Override
    public void close() {
        arena.close();
    }

    @Override
    public String toString() {
        return type + " [" + rowLength + ", " + rows + "]";
    }
}
