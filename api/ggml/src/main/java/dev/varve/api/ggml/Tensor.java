package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.varve.api.ggml.Pointer.BufferPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;

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
    static final long NB = 48;
    static final long OPERATOR = 80;
    static final long SOURCES = 152;
    static final int MAX_SOURCES = 10;
    static final long VIEW_SOURCE = 232;
    static final long VIEW_OFFSET = 240;
    private static final long DATA = 248;
    private static final long NAME = 256;
    private static final int MAX_NAME = 63;

    /**
     * The whole address space, so that the data of a tensor in host memory is accessed without
     * creating a segment.
     */
    private static final MemorySegment MEMORY = Native.allMemory();

    private final GgmlContext context;
    private final boolean leaf;
    private final TensorPtr pointer;
    private final GgmlType type;
    private final long ne0;
    private final long ne1;
    private final long ne2;
    private final long ne3;
    private final long nb0;
    private final long nb1;
    private final long nb2;
    private final long nb3;

    /** Owner of the data; empty if a graph allocator owns it, or it has no owner yet. */
    private Optional<DeviceBuffer> home = Optional.empty();

    /**
     * The context that counted this tensor last; a race between contexts only makes one of them
     * count it twice.
     */
    private GgmlContext lastUser;

    /** {@code leaf}: a declared tensor, not the result of an operator. */
    @SuppressWarnings("restricted")
    Tensor(GgmlContext context, TensorPtr pointer, boolean leaf) {
        this.context = context;
        this.leaf = leaf;
        MemorySegment struct = pointer.address().reinterpret(STRUCT_BYTES);
        this.pointer = new TensorPtr(struct);
        type = GgmlType.byId(struct.get(JAVA_INT, TYPE)).orElseThrow();
        ne0 = struct.get(JAVA_LONG, NE);
        ne1 = struct.get(JAVA_LONG, NE + 8);
        ne2 = struct.get(JAVA_LONG, NE + 16);
        ne3 = struct.get(JAVA_LONG, NE + 24);
        nb0 = struct.get(JAVA_LONG, NB);
        nb1 = struct.get(JAVA_LONG, NB + 8);
        nb2 = struct.get(JAVA_LONG, NB + 16);
        nb3 = struct.get(JAVA_LONG, NB + 24);
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
            default ->
                    throw new IllegalArgumentException(
                            "dimension must be 0 to 3, got " + dimension);
        };
    }

    /** Stride of a dimension in bytes, 0 to 3. */
    public long nb(int dimension) {
        return switch (dimension) {
            case 0 -> nb0;
            case 1 -> nb1;
            case 2 -> nb2;
            case 3 -> nb3;
            default ->
                    throw new IllegalArgumentException(
                            "dimension must be 0 to 3, got " + dimension);
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

    /** Returns whether the elements are stored without gaps in the order of the dimensions. */
    public boolean isContiguous() {
        return isContiguousAbove(0);
    }

    /**
     * Returns whether each row is stored without gaps, rows have any stride, and all higher
     * dimensions have no gaps.
     */
    boolean hasEvenRows() {
        return hasContiguousRows() && isContiguousAbove(1);
    }

    /**
     * Returns whether the tensor is contiguous, and its first stride is consistent with that even
     * if a row has one entry.
     */
    boolean isPacked() {
        return hasContiguousRows() && isContiguous();
    }

    /**
     * Returns whether rows have one stride, judged also by the strides of dimensions with one
     * entry.
     */
    boolean hasEvenPlanes() {
        return hasContiguousRows() && nb2 == nb1 * ne1 && nb3 == nb2 * ne2;
    }

    private boolean isContiguousAbove(int free) {
        long next = type.typeSize();
        if (ne0 != type.blockSize() && nb0 != next) {
            return false;
        }
        next *= ne0 / type.blockSize();
        for (int i = 1; i < 4; i++) {
            if (i <= free) {
                next = ne(i) * nb(i);
            } else {
                if (ne(i) != 1 && nb(i) != next) {
                    return false;
                }
                next *= ne(i);
            }
        }
        return true;
    }

    /** Returns whether each row is stored without gaps. */
    boolean hasContiguousRows() {
        return nb0 == type.typeSize();
    }

    /** Returns whether the row dimension was permuted away from the first place. */
    boolean isTransposed() {
        return nb0 > nb1;
    }

    /** Name, for messages. */
    public String name() {
        byte[] bytes = struct().asSlice(NAME, MAX_NAME + 1).toArray(JAVA_BYTE);
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
        MemorySegment.copy(bytes, 0, struct(), JAVA_BYTE, NAME, length);
        struct().set(JAVA_BYTE, NAME + length, (byte) 0);
        return this;
    }

    /** Marks a tensor that is written before each computation. */
    public Tensor markInput() {
        CoreApi.setInput(pointer());
        return this;
    }

    /** Marks a tensor that is read after a computation; its memory is not reused. */
    public Tensor markOutput() {
        CoreApi.setOutput(pointer());
        return this;
    }

    /** Returns whether the tensor has data. */
    public boolean isPlaced() {
        return struct().get(JAVA_LONG, DATA) != 0;
    }

    /** Writes 32-bit integers from {@code firstElement} on. */
    public void write(int[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.I32);
        write(source, source.length, JAVA_INT_UNALIGNED, offset, count, firstElement);
    }

    /** Writes 64-bit integers from {@code firstElement} on. */
    public void write(long[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.I64);
        write(source, source.length, JAVA_LONG_UNALIGNED, offset, count, firstElement);
    }

    /** Writes floats from {@code firstElement} on. */
    public void write(float[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.F32);
        write(source, source.length, JAVA_FLOAT_UNALIGNED, offset, count, firstElement);
    }

    /** Writes half-precision numbers, given as bits, from {@code firstElement} on. */
    public void write(short[] source, int offset, int count, long firstElement) {
        requireType("write", GgmlType.F16);
        write(source, source.length, JAVA_SHORT_UNALIGNED, offset, count, firstElement);
    }

    /** Writes raw bytes from {@code firstByte} on. */
    public void writeBytes(byte[] source, int offset, int count, long firstByte) {
        write(source, source.length, JAVA_BYTE, offset, count, firstByte);
    }

    /** Reads 32-bit integers from {@code firstElement} on. */
    public void read(int[] target, int offset, int count, long firstElement) {
        requireType("read", GgmlType.I32);
        read(target, target.length, JAVA_INT_UNALIGNED, offset, count, firstElement);
    }

    /** Reads floats from {@code firstElement} on. */
    public void read(float[] target, int offset, int count, long firstElement) {
        requireType("read", GgmlType.F32);
        read(target, target.length, JAVA_FLOAT_UNALIGNED, offset, count, firstElement);
    }

    /** Reads floats, as bits, from {@code firstElement} on. */
    public void readBits(int[] target, int offset, int count, long firstElement) {
        requireType("read", GgmlType.F32);
        read(target, target.length, JAVA_INT_UNALIGNED, offset, count, firstElement);
    }

    /** Reads half-precision numbers, as bits, from {@code firstElement} on. */
    public void read(short[] target, int offset, int count, long firstElement) {
        requireType("read", GgmlType.F16);
        read(target, target.length, JAVA_SHORT_UNALIGNED, offset, count, firstElement);
    }

    /** Reads raw bytes from {@code firstByte} on. */
    public void readBytes(byte[] target, int offset, int count, long firstByte) {
        read(target, target.length, JAVA_BYTE, offset, count, firstByte);
    }

    /** Writes the remaining bytes of a buffer as raw bytes from {@code firstByte} on. */
    public void writeBytes(ByteBuffer source, long firstByte) {
        int count = source.remaining();
        requireRange("write", count, 1, firstByte);
        MemorySegment bytes = MemorySegment.ofBuffer(source);
        if (isInHostMemory()) {
            MemorySegment.copy(bytes, 0, MEMORY, address() + firstByte, count);
        } else {
            try (Staging staging = Staging.of(count)) {
                MemorySegment.copy(bytes, 0, staging.memory(), 0, count);
                BackendApi.tensorSet(pointer, staging.memory(), firstByte, count);
            }
        }
        source.position(source.limit());
    }

    /** Fills the rest of a buffer with raw bytes from {@code firstByte} on. */
    public void readBytes(ByteBuffer target, long firstByte) {
        int count = target.remaining();
        requireRange("read", count, 1, firstByte);
        MemorySegment bytes = MemorySegment.ofBuffer(target);
        if (isInHostMemory()) {
            MemorySegment.copy(MEMORY, address() + firstByte, bytes, 0, count);
        } else {
            try (Staging staging = Staging.of(count)) {
                BackendApi.tensorGet(pointer, staging.memory(), firstByte, count);
                MemorySegment.copy(staging.memory(), 0, bytes, 0, count);
            }
        }
        target.position(target.limit());
    }

    /**
     * Copies the whole tensor from a mapped file in one operation, as repacking buffers require.
     */
    public void upload(MappedFile file, long offset, long count) {
        requirePlaced();
        requireContiguous("upload");
        if (count != bytes()) {
            throw new IllegalArgumentException(
                    "cannot upload " + count + " bytes into " + this + " of " + bytes() + " bytes");
        }
        file.requireWhole();
        BackendApi.tensorSet(pointer, file.slice(offset, count), 0, count);
    }

    /**
     * Copies all elements to a tensor of the same type and shape, directly from device to device if
     * the devices support it.
     */
    public void copyTo(Tensor target) {
        requireCopyable(target);
        BackendApi.tensorCopy(pointer, target.pointer);
    }

    /** Checks that both have data, without gaps, and the same type and shape. */
    void requireCopyable(Tensor target) {
        requirePlaced();
        requireContiguous("copy");
        target.requirePlaced();
        target.requireContiguous("copy");
        boolean same = type() == target.type();
        for (int dimension = 0; dimension < 4; dimension++) {
            same &= ne(dimension) == target.ne(dimension);
        }
        if (!same) {
            throw new IllegalArgumentException(
                    "cannot copy " + this + " to " + target + ": the shapes differ");
        }
    }

    void requireHostMemory() {
        if (!isInHostMemory()) {
            throw new IllegalArgumentException(this + " is not in host memory");
        }
    }

    /** Sets all elements to zero bytes. */
    public void zero() {
        long bytes = bytes();
        requireRange("zero", bytes, 1, 0);
        if (isInHostMemory()) {
            MEMORY.asSlice(address(), bytes).fill((byte) 0);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            BackendApi.tensorSet(pointer, arena.allocate(bytes, Long.BYTES), 0, bytes);
        }
    }

    private void write(
            Object array, int length, ValueLayout layout, int offset, int count, long first) {
        long size = layout.byteSize();
        requireRange("write", count, size, first);
        Objects.checkFromIndexSize(offset, count, length);
        if (isInHostMemory()) {
            MemorySegment.copy(array, offset, MEMORY, layout, address() + first * size, count);
            return;
        }
        try (Staging staging = Staging.of(count * size)) {
            MemorySegment.copy(array, offset, staging.memory(), layout, 0, count);
            BackendApi.tensorSet(pointer, staging.memory(), first * size, count * size);
        }
    }

    private void read(
            Object array, int length, ValueLayout layout, int offset, int count, long first) {
        long size = layout.byteSize();
        requireRange("read", count, size, first);
        Objects.checkFromIndexSize(offset, count, length);
        if (isInHostMemory()) {
            MemorySegment.copy(MEMORY, layout, address() + first * size, array, offset, count);
            return;
        }
        try (Staging staging = Staging.of(count * size)) {
            BackendApi.tensorGet(pointer, staging.memory(), first * size, count * size);
            MemorySegment.copy(staging.memory(), layout, 0, array, offset, count);
        }
    }

    private void requireRange(String what, long count, long size, long first) {
        requirePlaced();
        requireContiguous(what);
        long held = bytes() / size;
        if (count < 0 || first < 0 || first > held || count > held - first) {
            throw new IllegalArgumentException(
                    what + " of " + count + " elements at " + first + " exceeds " + this);
        }
    }

    private void requireContiguous(String what) {
        if (!isContiguous()) {
            throw new IllegalArgumentException(
                    "cannot " + what + " " + this + ": it is not contiguous");
        }
    }

    private void requirePlaced() {
        if (home.isPresent() && home.get().isClosed()) {
            throw new IllegalStateException(this + ": the buffer is closed");
        }
        if (!isPlaced()) {
            throw new IllegalStateException(this + " has no data");
        }
    }

    private void requireType(String what, GgmlType expected) {
        if (type != expected) {
            throw new IllegalArgumentException(
                    "cannot " + what + " " + expected.ggufName() + " elements of " + this);
        }
    }

    private boolean isInHostMemory() {
        BufferPtr buffer = new BufferPtr(pointer.address().get(ADDRESS, BUFFER));
        return !buffer.isNull() && BackendApi.bufferIsHost(buffer);
    }

    private long address() {
        return pointer.address().get(JAVA_LONG, DATA);
    }

    /** Number of the operator in {@code enum ggml_op}; 0 for none. */
    int operator() {
        return struct().get(JAVA_INT, OPERATOR);
    }

    /** Operator and its operands, for messages: {@code MUL_MAT F32 [4, 1] of a F16 [8, 4], ..}. */
    String describeOperator() {
        StringJoiner operands = new StringJoiner(", ", " of ", "").setEmptyValue("");
        for (Tensor operand : operands()) {
            operands.add(operand + (operand.isContiguous() ? "" : " (strided)"));
        }
        return CoreApi.opDesc(pointer()) + " " + this + operands;
    }

    /** Operands of the operator, in ggml's order. */
    List<Tensor> operands() {
        List<Tensor> operands = new ArrayList<>();
        for (int i = 0; i < MAX_SOURCES; i++) {
            TensorPtr operand =
                    new TensorPtr(struct().get(ADDRESS, SOURCES + i * ADDRESS.byteSize()));
            if (!operand.isNull()) {
                operands.add(new Tensor(context, operand, true));
            }
        }
        return operands;
    }

    /** Operand in one of the places, 0 to {@value #MAX_SOURCES} - 1; empty if it is not used. */
    Optional<Tensor> operand(int place) {
        TensorPtr operand =
                new TensorPtr(struct().get(ADDRESS, SOURCES + place * ADDRESS.byteSize()));
        return operand.isNull()
                ? Optional.empty()
                : Optional.of(new Tensor(context, operand, true));
    }

    /** Returns the bytes from the first to the last element, with those between its strides. */
    byte[] readSpan() {
        requirePlaced();
        byte[] target = new byte[Math.toIntExact(bytes())];
        if (isInHostMemory()) {
            MemorySegment.copy(MEMORY, JAVA_BYTE, address(), target, 0, target.length);
            return target;
        }
        try (Staging staging = Staging.of(target.length)) {
            BackendApi.tensorGet(pointer, staging.memory(), 0, target.length);
            MemorySegment.copy(staging.memory(), JAVA_BYTE, 0, target, 0, target.length);
        }
        return target;
    }

    /** Writes the bytes from the first to the last element. */
    void writeSpan(byte[] source) {
        requirePlaced();
        if (source.length != bytes()) {
            throw new IllegalArgumentException(source.length + " bytes for " + this);
        }
        if (isInHostMemory()) {
            MemorySegment.copy(source, 0, MEMORY, JAVA_BYTE, address(), source.length);
            return;
        }
        try (Staging staging = Staging.of(source.length)) {
            MemorySegment.copy(source, 0, staging.memory(), JAVA_BYTE, 0, source.length);
            BackendApi.tensorSet(pointer, staging.memory(), 0, source.length);
        }
    }

    BufferPtr buffer() {
        return new BufferPtr(struct().get(ADDRESS, BUFFER));
    }

    MemorySegment data() {
        return struct().get(ADDRESS, DATA);
    }

    /** Bytes from the first element to the end of the tensor that owns the data. */
    long bytesToEnd() {
        return isView()
                ? CoreApi.nbytes(viewSource()) - pointer.address().get(JAVA_LONG, VIEW_OFFSET)
                : bytes();
    }

    boolean isView() {
        return !viewSource().isNull();
    }

    /** Records the owner of the data, so that access after it was freed is an error. */
    void livesIn(DeviceBuffer buffer) {
        home = Optional.of(buffer);
    }

    /** Records that a view has its data where its source has it. */
    Tensor livesWith(Tensor source) {
        home = source.home;
        return this;
    }

    /**
     * Returns whether this is a tensor without operator that {@code user} has not counted;
     * operators must belong to {@code user}.
     */
    boolean isFirstUseIn(GgmlContext user) {
        if (!leaf && context != user) {
            throw new IllegalArgumentException(this + " was computed in another context");
        }
        if (!leaf || lastUser == user) {
            return false;
        }
        lastUser = user;
        return true;
    }

    TensorPtr pointer() {
        context.requireOpen();
        return pointer;
    }

    private MemorySegment struct() {
        return pointer().address();
    }

    TensorPtr viewSource() {
        return new TensorPtr(struct().get(ADDRESS, VIEW_SOURCE));
    }

    /** Sets the buffer field, only to query whether a device would support an operator. */
    void probeBuffer(BufferPtr buffer) {
        struct().set(ADDRESS, BUFFER, buffer.address());
    }

    @Override
    public String toString() {
        return (context.isClosed() ? "closed tensor" : name())
                + " "
                + type
                + " "
                + Arrays.toString(new long[] {ne0, ne1, ne2, ne3});
    }
}
