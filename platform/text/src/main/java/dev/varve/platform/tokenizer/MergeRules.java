package dev.varve.platform.tokenizer;

/** Decides which neighbouring symbols merge, and in which order. Safe for many threads. */
interface MergeRules {
    /**
     * The rank of two neighbours, 0 being the highest priority; {@code -1} if they do not merge.
     *
     * @param left a symbol; {@code -1} for one without rules
     */
    int rank(int left, int right);

    /** The symbol that two neighbours with a rank merge to. */
    int merged(int left, int right, int rank);

    /** One-line description for people. */
    String describe();
}
