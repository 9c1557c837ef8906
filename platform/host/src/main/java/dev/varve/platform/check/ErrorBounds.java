package dev.varve.platform.check;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.OperatorSample;

/**
 * Largest relative L2 errors that rounding explains. A fault, such as an operator that reads other
 * rows, causes errors near 1, so that bounds a few times above the rounding suffice.
 */
final class ErrorBounds {
    /**
     * Logits of a demo model. The processor multiplies quantised weights with activations that it
     * rounds to eight bits, an error of about 6e-3 per product, and other devices do not, or in
     * other blocks; the errors of its layers add up like a random walk.
     */
    static final double LOGITS = 5e-2;

    /**
     * Difference of two logits between batches of one device that is not the processor: its kernels
     * for several columns add up in another order. Measured up to 0.03 on the demo models.
     */
    static final double CLOSE_LOGITS = 0.1;

    /**
     * Quantised operands. The processor rounds activations to eight bits in blocks of 32 or 256: by
     * half a step of 1/127 of the largest value, which is 2.3 to 5 times the root mean square, so
     * 6e-3 to 1.2e-2; other devices may round in other blocks.
     */
    private static final double QUANTISED = 3e-2;

    /** BF16 has 8 significant bits, a rounding of 2^-9; both sides may round. */
    private static final double BF16 = 1e-2;

    /**
     * F16 has 11 significant bits, a rounding of 2^-12 on average; attention rounds scores and
     * probabilities, too, and sums of 64 of them.
     */
    private static final double F16 = 5e-3;

    /** Products of floats: cards may round factors to the 11 bits of TF32. */
    private static final double PRODUCT = 2e-3;

    /**
     * Rotations: Vulkan permits an error of 2^-11 of sine and cosine, and angles of some thousand
     * radians lose four more decimals of F32.
     */
    private static final double ROTATION = 2e-3;

    /** The processor reads GELU from a table by the F16 bits of its input, and of F16 entries. */
    private static final double TABLE = 2e-3;

    /**
     * Other operators on floats: F32 has 24 bits; exponential functions of cards lose up to five,
     * sums in another order of some thousand elements two or three.
     */
    private static final double FLOAT = 1e-4;

    private ErrorBounds() {}

    /** Returns the bound of an operator by the coarsest type of its operands. */
    static double of(OperatorSample sample) {
        double bound =
                switch (sample.name()) {
                    case "MUL_MAT", "MUL_MAT_ID", "OUT_PROD" -> PRODUCT;
                    case "ROPE" -> ROTATION;
                    case "GELU", "GEGLU", "GELU_QUICK" -> TABLE;
                    default -> FLOAT;
                };
        for (GgmlType type : sample.operandTypes()) {
            bound = Math.max(bound, of(type));
        }
        return Math.max(bound, of(sample.type()));
    }

    /** Returns the bound of a product with weights of a type. */
    static double ofWeights(GgmlType type) {
        return Math.max(PRODUCT, of(type));
    }

    private static double of(GgmlType type) {
        return switch (type) {
            case F16 -> F16;
            case BF16 -> BF16;
            default -> type.isQuantized() ? QUANTISED : 0;
        };
    }
}
