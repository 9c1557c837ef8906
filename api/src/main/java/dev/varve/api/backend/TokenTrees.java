package dev.varve.api.backend;

/** How large trees of tokens may be that are computed in one step. */
public final class TokenTrees {
    /** Most tokens of a tree, the known one at its root included. */
    public static final int MOST_TOKENS = 64;

    /** Most tokens on a path from the root on, which is one of them. */
    public static final int MOST_LEVELS = 32;

    private TokenTrees() {}
}
