package dev.varve.api.ggml;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Element types of ggml tensors ({@code enum ggml_type}). Known without the native library. */
public enum GgmlType {
    F32(0, 1, 4),
    F16(1, 1, 2),
    Q4_0(2, 32, 18),
    Q4_1(3, 32, 20),
    Q5_0(6, 32, 22),
    Q5_1(7, 32, 24),
    Q8_0(8, 32, 34),
    Q8_1(9, 32, 36),
    Q2_K(10, 256, 84),
    Q3_K(11, 256, 110),
    Q4_K(12, 256, 144),
    Q5_K(13, 256, 176),
    Q6_K(14, 256, 210),
    Q8_K(15, 256, 292),
    IQ2_XXS(16, 256, 66),
    IQ2_XS(17, 256, 74),
    IQ3_XXS(18, 256, 98),
    IQ1_S(19, 256, 50),
    IQ4_NL(20, 32, 18),
    IQ3_S(21, 256, 110),
    IQ2_S(22, 256, 82),
    IQ4_XS(23, 256, 136),
    I8(24, 1, 1),
    I16(25, 1, 2),
    I32(26, 1, 4),
    I64(27, 1, 8),
    F64(28, 1, 8),
    IQ1_M(29, 256, 56),
    BF16(30, 1, 2),
    TQ1_0(34, 256, 54),
    TQ2_0(35, 256, 66),
    MXFP4(39, 32, 17),
    NVFP4(40, 64, 36),
    Q1_0(41, 128, 18),
    Q2_0(42, 64, 18);

    private static final GgmlType[] BY_ID = new GgmlType[43];

    static {
        for (GgmlType type : values()) {
            BY_ID[type.id] = type;
        }
    }

    private final int id;
    private final int blockSize;
    private final int typeSize;

    GgmlType(int id, int blockSize, int typeSize) {
        this.id = id;
        this.blockSize = blockSize;
        this.typeSize = typeSize;
    }

    /** Number in files and in the native library. */
    public int id() {
        return id;
    }

    /** Elements per block. */
    public int blockSize() {
        return blockSize;
    }

    /** Bytes per block. */
    public int typeSize() {
        return typeSize;
    }

    /** Name in common notation, such as {@code q4_0}. */
    public String ggufName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether elements share scales in blocks. */
    public boolean isQuantized() {
        return blockSize > 1;
    }

    /** Returns whether elements are plain floating-point numbers. */
    public boolean isFloat() {
        return this == F32 || this == F16 || this == BF16 || this == F64;
    }

    /**
     * Returns whether weights may have this type: ggml has no product for integers, doubles and the
     * types of intermediate results.
     */
    public boolean isWeightType() {
        return switch (this) {
            case I8, I16, I32, I64, F64, Q8_1, Q8_K -> false;
            default -> true;
        };
    }

    /** Returns whether ggml converts floats to the type while it computes a graph. */
    boolean isWritable() {
        return switch (this) {
            case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S -> false;
            default -> isWeightType();
        };
    }

    /** Bytes of a row of {@code elements}; must be whole blocks. */
    public long rowBytes(long elements) {
        if (elements < 0 || elements % blockSize != 0) {
            throw new IllegalArgumentException(
                    elements
                            + " elements are not whole blocks of "
                            + blockSize
                            + " ("
                            + ggufName()
                            + ")");
        }
        return Math.multiplyExact(elements / blockSize, (long) typeSize);
    }

    /** The type of a number; empty for numbers that ggml does not use (any more). */
    public static Optional<GgmlType> byId(int id) {
        return id < 0 || id >= BY_ID.length ? Optional.empty() : Optional.ofNullable(BY_ID[id]);
    }

    /** The type of a name such as {@code q8_0}, in any case. */
    public static Optional<GgmlType> parse(String name) {
        return Arrays.stream(values())
                .filter(type -> type.ggufName().equals(name.toLowerCase(Locale.ROOT)))
                .findFirst();
    }
}
