package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.TensorUse;

/**
 * Numerics of ggml's products of a weight with several columns, found by experiment on all variants
 * of its CPU library: a column in a product of a few columns has the same bits as in a product of
 * its own; in a product of many columns it may not.
 *
 * @param most maximum columns of a product in which each has the bits that it has alone
 * @param planes whether {@code [K, 1, N]} is N products of one column in a single operator
 * @param maxSingleColumns columns of a product up to which more than {@code most} of them, one by
 *     one, cost about as much as all of them together
 * @param group a product of many columns may be divided at multiples of this number of columns,
 *     into products of 16 or more, without a change to any bit
 * @param tiles whether products of many columns are faster in {@link MatmulTiling}
 */
record MatmulKernelProperties(
        int most, boolean planes, int maxSingleColumns, int group, boolean tiles) {
    private static final int ALL = Integer.MAX_VALUE;

    /** Maximum columns that a kernel computes together. */
    private static final int GROUP = 16;

    /** The number of columns changes no bit; or the device guarantees nothing. */
    static final MatmulKernelProperties ANY = new MatmulKernelProperties(ALL, true, ALL, 1);

    /** As {@link #ANY}, for weights that would be read repeatedly without tiles. */
    private static final MatmulKernelProperties IN_TILES =
            new MatmulKernelProperties(ALL, true, ALL, 1, true);

    private MatmulKernelProperties(int most, boolean planes, int cheap, int group) {
        this(most, planes, cheap, group, false);
    }

    /** ggml's repacking buffer type for CPUs in general. */
    private static final String REPACK = "CPU_REPACK";

    /** ggml's buffer type for CPUs with matrix registers. */
    static final String TILES = "AMX";

    /** Number of elements of a row in a matrix register. */
    static final int TILE = 32;

    /** Size up to which an accelerator reads a float matrix once per row of decode. */
    private static final long SMALL_BYTES = 4 << 20;

    /** Memory that holds a weight. */
    enum WeightMemory {
        /** Device memory. */
        DEVICE,
        /** Host memory, as in the file. */
        HOST,
        /** Host memory, repacked for CPUs in general. */
        REPACKED,
        /** Host memory, for the CPU's matrix registers. */
        TILED,
        /** Host memory, repacked for one kind of CPU. */
        SPECIAL;

        /**
         * Determines the memory by the names of buffer types.
         *
         * @param home buffer type of the weight
         * @param plain buffer type of the device's activations
         */
        static WeightMemory of(BufferType home, BufferType plain) {
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

    /** Returns the numerics for a weight of a type and size. */
    static MatmulKernelProperties of(GgmlType type, long bytes, TensorUse use, WeightMemory home) {
        if (home == WeightMemory.DEVICE) {
            return use == TensorUse.MATMUL && type.isFloat() && bytes <= SMALL_BYTES
                    ? new MatmulKernelProperties(1, false, ALL, 1)
                    : ANY;
        }
        if (home == WeightMemory.TILED) {
            // Tiles of 16 columns: missing columns are not read, and each column has its own sum;
            // products of single columns do the same. ggml has no other kernels there.
            return use == TensorUse.MATMUL && type.isFloat() ? IN_TILES : ANY;
        }
        if (home == WeightMemory.SPECIAL) {
            // Kernels of a CPU kind that was not tested; they may not support planes.
            return new MatmulKernelProperties(1, false, 1, GROUP);
        }
        boolean rearranged = home == WeightMemory.REPACKED;
        return switch (use) {
            case MATMUL -> rearranged ? rearranged(type) : inFileOrder(type);
            // The rows of one expert count; all rows of a batch may choose the same expert.
            case EXPERT_MATMUL -> rearranged || mostUnpacked(type) == 0 ? ANY : unpacked(type);
            case ROW_LOOKUP, COMPUTED_LOOKUP, ELEMENTWISE, CONVOLUTION, PATCH_KERNEL -> ANY;
        };
    }

    /**
     * Groups of four columns use another kernel; the remaining columns use the kernel of single
     * ones.
     */
    private static MatmulKernelProperties rearranged(GgmlType type) {
        return switch (type) {
            case Q4_0, IQ4_NL, MXFP4 -> ANY;
            case Q4_K, Q2_K -> new MatmulKernelProperties(3, true, 4, GROUP);
            default -> new MatmulKernelProperties(1, true, 1, GROUP);
        };
    }

    private static MatmulKernelProperties inFileOrder(GgmlType type) {
        return switch (type) {
            case F32, F16, BF16, IQ4_NL -> new MatmulKernelProperties(1, true, ALL, 1);
            default -> mostUnpacked(type) == 0 ? ANY : unpacked(type);
        };
    }

    /**
     * Number of products among which the columns of a product may be divided.
     *
     * @param columns of the product
     */
    int productsOf(int columns) {
        return planes || most >= columns ? 1 : (columns + most - 1) / most;
    }

    private static MatmulKernelProperties unpacked(GgmlType type) {
        return new MatmulKernelProperties(mostUnpacked(type), true, mostUnpacked(type), 1);
    }

    /**
     * From 8 columns on, rows of these types are unpacked to floats first; 0 for all other types.
     */
    private static int mostUnpacked(GgmlType type) {
        return switch (type) {
            case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, IQ4_XS -> 7;
            default -> 0;
        };
    }
}
