package dev.varve.api.model;

/** What one layer keeps between two forwards of a sequence. */
public sealed interface LayerState {

    /** Key/value rows of its own. */
    sealed interface Attention extends LayerState {
        /** Heads of K and V. */
        int kvHeads();

        /** Elements per K head. */
        int keyLength();

        /** Elements per V head. */
        int valueLength();
    }

    /** Key/value rows of every position of the sequence. */
    record FullAttention(int kvHeads, int keyLength, int valueLength) implements Attention {
        public FullAttention {
            requirePositive(kvHeads, "kvHeads");
            requirePositive(keyLength, "keyLength");
            requirePositive(valueLength, "valueLength");
        }
    }

    /**
     * Key/value rows of the last positions only: a token sees itself and the {@code window - 1}
     * positions before it.
     */
    record SlidingAttention(int window, int kvHeads, int keyLength, int valueLength)
            implements Attention {
        public SlidingAttention {
            requirePositive(window, "window");
            requirePositive(kvHeads, "kvHeads");
            requirePositive(keyLength, "keyLength");
            requirePositive(valueLength, "valueLength");
        }
    }

    /**
     * No rows of its own: attends to those of an earlier layer of the same kind.
     *
     * @param source layer that owns the rows
     */
    record SharedAttention(int source) implements LayerState {
        public SharedAttention {
            if (source < 0) {
                throw new IllegalArgumentException("source layer " + source);
            }
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
