package dev.varve.platform.draft;

/** How a draft network makes tokens of the hidden states of a block. */
sealed interface BlockDecoding {
    /** Each slot by itself: the most likely token. */
    record Plain() implements BlockDecoding {}

    /**
     * Slot after slot: what the token before makes likely is added to the logits (DSpark).
     *
     * @param rank elements that a token is to the next one
     * @param shifted whether a slot guesses the token behind its position, rather than its own
     * @param confident whether it says how likely each guess is right if all before it are
     * @param scores what is done to logits first
     * @see <a href="https://arxiv.org/abs/2607.05147">DSpark</a>
     */
    record Markov(int rank, boolean shifted, boolean confident, Scores scores)
            implements BlockDecoding {}

    /**
     * Slot after slot among the most likely tokens of each, by how well they follow one another;
     * rows of a block are mixed around attention and feed-forward (DFlash2).
     *
     * @param rank elements that a token is to the next one
     * @param candidates tokens of a slot
     * @param convolution how rows are mixed
     * @param scores what is done to logits first
     */
    record Selector(int rank, int candidates, Convolution convolution, Scores scores)
            implements BlockDecoding {}

    /**
     * What is done to logits.
     *
     * @param scale their factor
     * @param cap what their size stays below; 0 for no bound
     */
    record Scores(float scale, float cap) {}

    /**
     * A convolution over the rows of a block, whose taps depend on the row.
     *
     * @param kernel rows that are mixed, each with those before it
     * @param group channels whose taps change together
     */
    record Convolution(int kernel, int group) {
        /** Changes of taps that each row has: for all groups, taps, and both sides. */
        int changes(int hidden) {
            return 2 * kernel * (hidden / group);
        }
    }

    /** Whether the first slot guesses a token, too. */
    default boolean guessesFromFirst() {
        return this instanceof Markov markov && markov.shifted();
    }
}
