package dev.varve.platform.draft;

/** How a draft network decodes the hidden states of a block into tokens. */
sealed interface BlockDecoding {
    /** Each slot by itself: the most likely token. */
    record Plain() implements BlockDecoding {}

    /**
     * Slot after slot: the token before adds a bias to the logits (DSpark).
     *
     * @param rank length of the transition vector of a token
     * @param shifted whether a slot predicts the token after its position, rather than its own
     * @param confident whether it outputs the chance that each draft token is accepted if all
     *     before it are
     * @param scores transformation of the logits
     * @see <a href="https://arxiv.org/abs/2607.05147">DSpark</a>
     */
    record Markov(int rank, boolean shifted, boolean confident, LogitScaling scores)
            implements BlockDecoding {}

    /**
     * Slot after slot among the most likely tokens of each, by how well they follow one another;
     * rows of a block are mixed around attention and feed-forward (DFlash2).
     *
     * @param rank length of the transition vector of a token
     * @param candidates number of candidate tokens of a slot
     * @param convolution how rows are mixed
     * @param scores transformation of the logits
     */
    record Selector(
            int rank, int candidates, ConvolutionParameters convolution, LogitScaling scores)
            implements BlockDecoding {}

    /**
     * Transformation of the logits.
     *
     * @param scale their factor
     * @param cap bound on their size; 0 for no bound
     */
    record LogitScaling(float scale, float cap) {}

    /**
     * A convolution over the rows of a block, whose taps depend on the row.
     *
     * @param kernel number of mixed rows: a row and those before it
     * @param group channels whose taps change together
     */
    record ConvolutionParameters(int kernel, int group) {
        /** Number of tap changes of each row: for all groups, taps, and both sides. */
        int changes(int hidden) {
            return 2 * kernel * (hidden / group);
        }
    }

    /** Whether the first slot predicts a token, too. */
    default boolean predictsFromFirst() {
        return this instanceof Markov markov && markov.shifted();
    }
}
