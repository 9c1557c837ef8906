package dev.varve.api.backend;

/** Limits on the size of token trees that are computed in one step. */
public final class TokenTrees {
    /** Maximum number of tokens of a tree, including the known token at its root. */
    public static final int MOST_TOKENS = 64;

    /** Maximum number of tokens on a path from the root, including the root. */
    public static final int MOST_LEVELS = 32;

    private TokenTrees() {}
}
