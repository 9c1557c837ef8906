package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A tensor ({@code ggml_tensor}): type, extents {@code ne} and strides in bytes {@code nb}, the
 * fastest dimension first. Lives as long as its context; its data as long as its buffer. Reads and
 * writes count in elements of the Java array.
 */
public final class Tensor {
    private static final long STRUCT_BYTES = 336;
    private static final long TYPE = 0;
    private static final long BUFFER = 8;
    private static final long NE = 16;
    private static final long NB = 48;
    private static final long VIEW_SOURCE = 232;
    private static final long VIEW_OFFSET = 240;
    private static final long DATA = 248;
    private static final long NAME = 256;
    private static final int MAX_NAME = 63;

    private final MemorySegment pointer;
    private final GgmlType type;
    private final long ne0;
    private final long ne1;
    private final long ne2;
    private final long ne3;
    private final long nb0;
    private final long nb1;
    private final long nb2;
    private final long nb3;

    @SuppressWarnings("restricted")
    Tensor(MemorySegment address) {
        pointer = address.reinterpret(STRUCT_BYTES);
        type = GgmlType.byId(pointer.get(JAVA_INT, TYPE)).orElseThrow();
        ne0 = pointer.get(JAVA_LONG, NE);
        ne1 = pointer.get(JAVA_LONG, NE + 8);
        ne2 = pointer.get(JAVA_LONG, NE + 16);
        ne3 = pointer.get(JAVA_LONG, NE + 24);
        nb0 = pointer.get(JAVA_LONG, NB);
        nb1 = pointer.get(JAVA_LONG, NB + 8);
        nb2 = pointer.get(JAVA_LONG, NB + 16);
        nb3 = pointer.get(JAVA_LONG, NB + 24);
    }

    /** Element type. */
    public GgmlType type() {
        return type;
    }

    /** Extent of a dimension, 0 to 3. */
    public long ne(int dimension) {
        return switch (dimension) {
            case 0 -> ne0;
            case 1 -> ne1;
            case 2 -> ne2;
            case 3 -> ne3;
            default -> throw new IllegalArgumentException("dimension " + dimension);
        };
    }

    /** Stride of a dimension in bytes, 0 to 3. */
    public long nb(int dimension) {
        return switch (dimension) {
            case 0 -> nb0;
            case 1 -> nb1;
            case 2 -> nb2;
            case 3 -> nb3;
            default -> throw new IllegalArgumentException("dimension " + dimension);
        };
    }

    /** Number of elements. */
    public long elements() {
        return ne0 * ne1 * ne2 * ne3;
    }

    /** Bytes from the first to the last element. */
    public long bytes() {
        long row =
                type.isQuantized()
                        ? ne0 * nb0 / type.blockSize()
                        : type.typeSize() + (ne0 - 1) * nb0;
        return row + (ne1 - 1) * nb1 + (ne2 - 1) * nb2 + (ne3 - 1) * nb3;
    }

    /** Whether the elements lie without gaps in the order of the dimensions. */
    public boolean isContiguous() {
        long next = type.typeSize();
        if (ne0 != type.blockSize() && nb0 != next) {
            return false;
        }
        next *= ne0 / type.blockSize();
        for (int i = 1; i < 4; i++) {
            if (ne(i) != 1) {
                if (nb(i) != next) {
                    return false;
                }
                next *= ne(i);
            }
        }
        return true;
    }

    /** Whether each row lies without gaps. */
    boolean hasContiguousRows() {
        return nb0 == type.typeSize();
    }

    /** Name, for messages. */
    public String name() {
        byte[] bytes = pointer.asSlice(NAME, MAX_NAME + 1).toArray(JAVA_BYTE);
        int end = 0;
        while (bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** Names the tensor; at most 63 bytes are kept. */
    public Tensor named(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MAX_NAME);
        MemorySegment.copy(bytes, 0, pointer, JAVA_BYTE, NAME, length);
        pointer.set(JAVA_BYTE, NAME + length, (byte) 0);
        return this;
    }

    /** Marks a tensor that is written before each computation. */
    public Tensor markInput() {
        CoreApi.setInput(pointer);
        return this;
    }

    /** Marks a tensor that is read after a computation; its memory is not reused. */
    public Tensor markOutput() {
        CoreApi.setOutput(pointer);
        return this;
    }

    /** Whether the tensor has data. */
    public boolean isPlaced() {
        return !Native.isNull(pointer.get(ADDRESS, DATA));
    }

    /** Writes 32-bit integers from {@code firstElement} on. */
    public void write(int[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.I32);
        write(MemorySegment.ofArray(source), JAVA_INT, offset, count, firstElement);
    }

    /** Writes 64-bit integers from {@code firstElement} on. */
    public void write(long[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.I64);
        write(MemorySegment.ofArray(source), JAVA_LONG, offset, count, firstElement);
    }

    /** Writes floats from {@code firstElement} on. */
    public void write(float[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.F32);
        write(MemorySegment.ofArray(source), JAVA_FLOAT, offset, count, firstElement);
    }

    /** Writes half-precision numbers, given as bits, from {@code firstElement} on. */
    public void write(short[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.F16);
        write(MemorySegment.ofArray(source), JAVA_SHORT, offset, count, firstElement);
    }

    /** Writes raw bytes from {@code firstByte} on. */
    public void writeBytes(byte[] source, int offset, int count, long firstByte) {
        write(MemorySegment.ofArray(source), JAVA_BYTE, offset, count, firstByte);
    }

    /** Reads 32-bit integers from {@code firstElement} on. */
    public void read(int[] target, int offset, int count, long firstElement) {
        requireType("read", GgmlType.I32);
        read(MemorySegment.ofArray(target), JAVA_INT, offset, count, firstElement);
    }

    /** Reads floats from {@code firstElement} on. */
    public void read(float[] target, int offset, int count, long firstElement) {
        requireType("read", GgmlType.F32);
        read(MemorySegment.ofArray(target), JAVA_FLOAT, offset, count, firstElement);
    }

    /** Reads raw bytes from {@code firstByte} on. */
    public void readBytes(byte[] target, int offset, int count, long firstByte) {
        read(MemorySegment.ofArray(target), JAVA_BYTE, offset, count, firstByte);
    }

    /** Copies the whole tensor from a mapped file in one go, as repacking buffers demand. */
    public void upload(MappedFile file, long offset, long count) {
        if (count != bytes()) {
            throw new IllegalArgumentException(
                    "upload of " + count + " bytes into " + this + " of " + bytes());
        }
        requirePlaced();
        BackendApi.tensorSet(pointer, file.slice(offset, count), 0, count);
    }

    private void write(MemorySegment array, ValueLayout layout, int offset, int count, long first) {
        long size = layout.byteSize();
        long bytes = requireRange("write", count, size, first);
        MemorySegment source = array.asSlice(offset * size, bytes);
        if (isHostMemory()) {
            MemorySegment.copy(source, 0, data(), first * size, bytes);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment staged = arena.allocate(bytes, Long.BYTES);
            staged.copyFrom(source);
            BackendApi.tensorSet(pointer, staged, first * size, bytes);
        }
    }

    private void read(MemorySegment array, ValueLayout layout, int offset, int count, long first) {
        long size = layout.byteSize();
        long bytes = requireRange("read", count, size, first);
        MemorySegment target = array.asSlice(offset * size, bytes);
        if (isHostMemory()) {
            MemorySegment.copy(data(), first * size, target, 0, bytes);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment staged = arena.allocate(bytes, Long.BYTES);
            BackendApi.tensorGet(pointer, staged, first * size, bytes);
            target.copyFrom(staged);
        }
    }

    private long requireRange(String what, int count, long size, long first) {
        requirePlaced();
        if (!isContiguous()) {
            throw new IllegalArgumentException(what + " of " + this + ", which is not contiguous");
        }
        long bytes = count * size;
        if (count < 0 || first < 0 || bytes > bytes() || first > (bytes() - bytes) / size) {
            throw new IllegalArgumentException(
                    what + " of " + count + " elements at " + first + " leaves " + this);
        }
        return bytes;
    }

    private void requirePlaced() {
        if (!isPlaced()) {
            throw new IllegalStateException(this + " has no data");
        }
    }

    private void requireType(String what, GgmlType expected) {
        if (type != expected) {
            throw new IllegalArgumentException(
                    what + " of " + expected.ggufName() + " elements in " + this);
        }
    }

    private boolean isHostMemory() {
        MemorySegment buffer = pointer.get(ADDRESS, BUFFER);
        return !Native.isNull(buffer) && BackendApi.bufferIsHost(buffer);
    }

    @SuppressWarnings("restricted")
    private MemorySegment data() {
        return pointer.get(ADDRESS, DATA).reinterpret(bytes());
    }

    MemorySegment pointer() {
        return pointer;
    }

    MemorySegment viewSource() {
        return pointer.get(ADDRESS, VIEW_SOURCE);
    }

    /** Bytes from the first element to the end of the tensor that owns the data. */
    long bytesFromHere() {
        MemorySegment source = viewSource();
        return Native.isNull(source)
                ? bytes()
                : new Tensor(source).bytes() - pointer.get(JAVA_LONG, VIEW_OFFSET);
    }

    /** Sets the buffer field, only for asking a device whether it would support an operator. */
    void probeBuffer(MemorySegment buffer) {
        pointer.set(ADDRESS, BUFFER, buffer);
    }

    @Override
    public String toString() {
        return name() + " " + type + " " + Arrays.toString(new long[] {ne0, ne1, ne2, ne3});
    }
}
