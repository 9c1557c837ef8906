package dev.varve.platform.replica;

/** A router's estimate of the cached prefixes of a replica, in tokens. */
public interface PrefixEstimate {
    /** Returns the number of leading tokens of a prompt that are likely cached. */
    int cached(PromptBlockHashes prompt);

    /** Returns the number of tokens that would be evicted if so many more were computed. */
    long displaced(long tokens);

    /** Returns the number of tokens that are likely cached. */
    long used();
}
