package dev.varve.api.model;

/** What one layer keeps between two forwards of a sequence. */
public sealed interface LayerState {

    /**
     * Key/value rows of every position of the sequence.
     *
     * @param kvHeads heads of K and V
     * @param keyLength elements per K head
     * @param valueLength elements per V head
     */
    record FullAttention(int kvHeads, int keyLength, int valueLength) implements LayerState {
        public FullAttention {
            requirePositive(kvHeads, "kvHeads");
            requirePositive(keyLength, "keyLength");
            requirePositive(valueLength, "valueLength");
        }
    }

    /**
     * Gated delta net: the last {@code convKernel - 1} inputs of a causal convolution and one
     * matrix per value head. It cannot be rewound, only checkpointed.
     *
     * @param convKernel taps of the convolution
     * @param convChannels channels of the convolution
     * @param stateSize rows and columns of one head's matrix
     * @param valueHeads number of matrices
     */
    record Recurrent(int convKernel, int convChannels, int stateSize, int valueHeads)
            implements LayerState {
        public Recurrent {
            requirePositive(convKernel - 1, "convKernel - 1");
            requirePositive(convChannels, "convChannels");
            requirePositive(stateSize, "stateSize");
            requirePositive(valueHeads, "valueHeads");
        }

        /** Elements of one convolution state row, {@code [convKernel - 1, convChannels]}. */
        public long convElements() {
            return (long) (convKernel - 1) * convChannels;
        }

        /** Elements of one matrix state row, {@code [stateSize, stateSize, valueHeads]}. */
        public long matrixElements() {
            return (long) stateSize * stateSize * valueHeads;
        }
    }

    private static void requirePositive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, got " + value);
        }
    }
}
