package dev.varve.api.ggml;

/**
 * Arguments of rotary embeddings, by ggml's names.
 *
 * @param dims leading elements of a head that are rotated, even
 * @param mode pairing of the elements
 * @param freqBase base of the frequencies
 * @param freqScale factor of the positions
 * @param yarn change of the frequencies for a longer context
 * @see <a href="https://arxiv.org/abs/2104.09864">RoFormer, section 3.4</a>
 */
public record RopeOptions(int dims, Mode mode, float freqBase, float freqScale, Yarn yarn) {
    /** Pairing of the elements, and for several position axes the axis that rotates each pair. */
    public enum Mode {
        /** Rotates elements 2p and 2p + 1. */
        NORMAL(0, 1),

        /** Rotates elements p and p + dims/2. */
        NEOX(2, 1),

        /** As {@link #NEOX}, with a section of the pairs for each position axis. */
        MULTI_AXIS(8, 4),

        /**
         * Rotates elements p and p + dims of heads of 2 * dims elements, with a section of the
         * pairs for each position axis, whose frequencies begin anew.
         */
        VISION(24, 4),

        /** As {@link #NEOX}, with the position axes alternating over the pairs. */
        INTERLEAVED_MULTI_AXIS(40, 4);

        private final int id;
        private final int axes;

        Mode(int id, int axes) {
            this.id = id;
            this.axes = axes;
        }

        /** Number in the native library. */
        int id() {
            return id;
        }

        /** Positions per token. */
        int axes() {
            return axes;
        }
    }

    /**
     * Context extension by YaRN.
     *
     * @param originalContext context length before the extension
     * @param extFactor weight of the extension: 1 for YaRN, 0 for none
     * @param attnFactor factor of sine and cosine
     * @param betaFast upper bound in rotations
     * @param betaSlow lower bound in rotations
     * @see <a href="https://arxiv.org/abs/2309.00071">YaRN, section 3</a>
     */
    public record Yarn(
            int originalContext,
            float extFactor,
            float attnFactor,
            float betaFast,
            float betaSlow) {
        /** Returns options that do not change the frequencies. */
        public static Yarn none(int originalContext) {
            return new Yarn(originalContext, 0, 1, 32, 1);
        }
    }

    /** Returns options without a change of frequencies. */
    public static RopeOptions plain(int dims, Mode mode, float freqBase, int context) {
        return new RopeOptions(dims, mode, freqBase, 1, Yarn.none(context));
    }

    /** Checks that the rotation has as many axes as the operator, and fits its operands. */
    void requireFit(String op, Tensor a, Tensor positions, int axes) {
        if (mode.axes() != axes) {
            throw new IllegalArgumentException(
                    op
                            + ": expected a mode of "
                            + axes
                            + (axes == 1 ? " axis" : " axes")
                            + ", found "
                            + mode);
        }
        if (mode == Mode.VISION && a.ne(0) != 2L * dims) {
            throw new IllegalArgumentException(
                    op + ": expected heads of " + 2L * dims + " elements, found " + a.ne(0));
        }
        Operands.requireF32(op, a);
        Operands.requireType(op, positions, GgmlType.I32);
        Operands.require(
                positions.ne(0) == axes * a.ne(2)
                        && positions.elements() == positions.ne(0)
                        && dims >= 2
                        && dims % 2 == 0
                        && dims <= a.ne(0)
                        && a.hasContiguousRows(),
                op,
                a,
                positions);
    }
}
