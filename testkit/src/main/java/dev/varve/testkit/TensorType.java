package dev.varve.testkit;

import java.util.Locale;

/** Element types of GGUF tensors that the kit can write, with ggml's ids and block sizes. */
public enum TensorType {
    F32(0, 1, 4),
    F16(1, 1, 2),
    Q4_0(2, 32, 18),
    Q4_1(3, 32, 20),
    Q5_0(6, 32, 22),
    Q5_1(7, 32, 24),
    Q8_0(8, 32, 34),
    Q2_K(10, 256, 84),
    Q3_K(11, 256, 110),
    Q4_K(12, 256, 144),
    Q5_K(13, 256, 176),
    Q6_K(14, 256, 210),
    IQ4_NL(20, 32, 18),
    IQ4_XS(23, 256, 136),
    I32(26, 1, 4),
    I64(27, 1, 8),
    BF16(30, 1, 2),
    /** The usual type of gpt-oss's experts; other matrices of such files have another type. */
    MXFP4(39, 32, 17);

    private final int ggmlId;
    private final int blockElements;
    private final int blockBytes;

    TensorType(int ggmlId, int blockElements, int blockBytes) {
        this.ggmlId = ggmlId;
        this.blockElements = blockElements;
        this.blockBytes = blockBytes;
    }

    /** The value of {@code enum ggml_type}. */
    public int ggmlId() {
        return ggmlId;
    }

    /** Whether elements stand for real numbers. */
    public boolean holdsFloats() {
        return this != I32 && this != I64;
    }

    /** Elements in one block; a row must be a multiple of it. */
    public int blockElements() {
        return blockElements;
    }

    /** Bytes of one block. */
    public int blockBytes() {
        return blockBytes;
    }

    /**
     * Bytes of a row of {@code elements} values.
     *
     * @throws IllegalArgumentException if the row is not a whole number of blocks
     */
    public long rowBytes(long elements) {
        if (elements <= 0 || elements % blockElements != 0) {
            throw new IllegalArgumentException(
                    this
                            + ": a row must be a positive multiple of "
                            + blockElements
                            + " elements, got "
                            + elements);
        }
        return Math.multiplyExact(elements / blockElements, (long) blockBytes);
    }

    /**
     * This type, or the one that quantisers fall back to where a row of {@code elements} is not
     * divisible by the block: a smaller block of about the same size first, F16 last.
     */
    public TensorType orFallbackFor(long elements) {
        if (elements % blockElements == 0) {
            return this;
        }
        TensorType smaller =
                switch (this) {
                    case Q2_K, Q3_K, IQ4_XS -> IQ4_NL;
                    case Q4_K -> Q5_0;
                    case Q5_K -> Q5_1;
                    case Q6_K -> Q8_0;
                    default -> F16;
                };
        return elements % smaller.blockElements == 0 ? smaller : F16;
    }

    /** Looks a type up by its name, in any case, such as {@code "q4_0"}. */
    public static TensorType parse(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
