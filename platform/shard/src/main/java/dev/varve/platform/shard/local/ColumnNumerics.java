package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.TensorUse;

/**
 * How ggml's products with a weight treat columns that stand together, found by experiment on all
 * variants of its processor library: a column in a product of a few columns has the bits of a
 * product of its own; one in a product of many may not.
 *
 * @param most columns of a product up to which each has the bits that it has alone
 * @param planes whether {@code [K, 1, N]} is N products of one column in a single operator
 * @param cheap columns of a product up to which more than {@code most} of them, one by one, cost
 *     about as much as all of them together
 * @param group columns in whose multiples a product of many may be divided, into ones of 16 or
 *     more, without a change to any bit
 * @param tiles whether products of many columns are faster in {@link MatrixProductTiles}
 */
record ColumnNumerics(int most, boolean planes, int cheap, int group, boolean tiles) {
    private static final int ALL = Integer.MAX_VALUE;

    /** Most columns that a kernel takes together. */
    private static final int GROUP = 16;

    /** No number of columns changes any bit; or the device promises nothing. */
    static final ColumnNumerics ANY = new ColumnNumerics(ALL, true, ALL, 1);

    /** The same, where the weight would be read again and again. */
    private static final ColumnNumerics IN_TILES = new ColumnNumerics(ALL, true, ALL, 1, true);

    private ColumnNumerics(int most, boolean planes, int cheap, int group) {
        this(most, planes, cheap, group, false);
    }

    /** ggml's rearranging buffer type for processors in general. */
    private static final String REPACK = "CPU_REPACK";

    /** ggml's buffer type for processors with matrix registers. */
    static final String TILES = "AMX";

    /** Elements of a row that a matrix register holds. */
    static final int TILE = 32;

    /** Size up to which an accelerator reads a float matrix once per row of decode. */
    private static final long SMALL_BYTES = 4 << 20;

    /** Memory in which a weight lies. */
    enum Home {
        /** A device's own. */
        DEVICE,
        /** The processor's, as in the file. */
        HOST,
        /** The processor's, rearranged for processors in general. */
        REPACKED,
        /** The processor's, for its matrix registers. */
        TILED,
        /** The processor's, rearranged for one of its kind. */
        SPECIAL;

        /**
         * Tells by the names of buffer types.
         *
         * @param home buffer type of the weight
         * @param plain buffer type of the device's activations
         */
        static Home of(BufferType home, BufferType plain) {
            if (!plain.isHost()) {
                return DEVICE;
            }
            if (home.name().equals(plain.name())) {
                return HOST;
            }
            return switch (home.name()) {
                case REPACK -> REPACKED;
                case TILES -> TILED;
                default -> SPECIAL;
            };
        }
    }

    /** What holds for a weight of a type and size. */
    static ColumnNumerics of(GgmlType type, long bytes, TensorUse use, Home home) {
        if (home == Home.DEVICE) {
            return use == TensorUse.MATMUL && type.isFloat() && bytes <= SMALL_BYTES
                    ? new ColumnNumerics(1, false, ALL, 1)
                    : ANY;
        }
        if (home == Home.TILED) {
            // Tiles of 16 columns of which the missing ones are not read, and each has a sum of its
            // own; so do the products of single ones. ggml has no other kernels there.
            return use == TensorUse.MATMUL && type.isFloat() ? IN_TILES : ANY;
        }
        if (home == Home.SPECIAL) {
            // Kernels of some processor that was not there to be tried; they may not know planes.
            return new ColumnNumerics(1, false, 1, GROUP);
        }
        boolean rearranged = home == Home.REPACKED;
        return switch (use) {
            case MATMUL -> rearranged ? rearranged(type) : inFileOrder(type);
            // Rows of one expert count; all of a batch may choose the same.
            case EXPERT_MATMUL -> rearranged || mostUnpacked(type) == 0 ? ANY : unpacked(type);
            case ROW_LOOKUP, COMPUTED_LOOKUP, ELEMENTWISE, CONVOLUTION -> ANY;
        };
    }

    /** Four columns go to another kernel, what is left of them to that of single ones. */
    private static ColumnNumerics rearranged(GgmlType type) {
        return switch (type) {
            case Q4_0, IQ4_NL, MXFP4 -> ANY;
            case Q4_K, Q2_K -> new ColumnNumerics(3, true, 4, GROUP);
            default -> new ColumnNumerics(1, true, 1, GROUP);
        };
    }

    private static ColumnNumerics inFileOrder(GgmlType type) {
        return switch (type) {
            case F32, F16, BF16, IQ4_NL -> new ColumnNumerics(1, true, ALL, 1);
            default -> mostUnpacked(type) == 0 ? ANY : unpacked(type);
        };
    }

    /**
     * Products of their own into which each column of a product may go.
     *
     * @param columns of the product
     */
    int productsOf(int columns) {
        return planes || most >= columns ? 1 : (columns + most - 1) / most;
    }

    private static ColumnNumerics unpacked(GgmlType type) {
        return new ColumnNumerics(mostUnpacked(type), true, mostUnpacked(type), 1);
    }

    /** From 8 columns on, rows of these are unpacked to floats first; 0 for all others. */
    private static int mostUnpacked(GgmlType type) {
        return switch (type) {
            case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, IQ4_XS -> 7;
            default -> 0;
        };
    }
}
