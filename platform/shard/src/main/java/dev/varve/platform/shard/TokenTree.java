package dev.varve.platform.shard;

import dev.varve.api.backend.TokenTrees;

import java.util.Arrays;

/**
 * The predecessor of each token of a {@link SequenceChunk}: the token before it in a chain, or any
 * earlier one. Tokens with the same predecessor are alternative draft tokens for the same position.
 * Immutable.
 */
public final class TokenTree {
    /** Each token follows the one before it; for any number of tokens. */
    public static final TokenTree CHAIN = new TokenTree(new int[0], new int[0]);

    private final int[] parents;
    private final int[] levels;

    private TokenTree(int[] parents, int[] levels) {
        this.parents = parents;
        this.levels = levels;
    }

    /**
     * Creates a tree, or returns {@link #CHAIN} if it does not branch.
     *
     * @param parents for each token, the index of its predecessor; -1 for the first one
     * @throws IllegalArgumentException if a token does not follow an earlier one, or the tree is
     *     too large
     */
    public static TokenTree of(int[] parents) {
        if (parents.length > TokenTrees.MOST_TOKENS) {
            throw new IllegalArgumentException(
                    "tree: expected at most "
                            + TokenTrees.MOST_TOKENS
                            + " tokens, found "
                            + parents.length);
        }
        int[] levels = new int[parents.length];
        boolean branches = false;
        for (int i = 0; i < parents.length; i++) {
            if (parents[i] >= i || (i == 0 ? parents[i] != -1 : parents[i] < 0)) {
                throw new IllegalArgumentException(
                        "tree: token " + i + " cannot follow token " + parents[i]);
            }
            levels[i] = i == 0 ? 0 : levels[parents[i]] + 1;
            branches |= parents[i] != i - 1;
            if (levels[i] >= TokenTrees.MOST_LEVELS) {
                throw new IllegalArgumentException(
                        "tree: token " + i + " follows more than " + levels[i] + " others");
            }
        }
        return branches ? new TokenTree(parents.clone(), levels) : CHAIN;
    }

    /** Whether each token follows the one before it. */
    public boolean isChain() {
        return parents.length == 0;
    }

    /** Whether the tree has this number of tokens; a chain fits any. */
    boolean fits(int tokens) {
        return isChain() || parents.length == tokens;
    }

    /** Index of a token's predecessor; -1 for the first. */
    public int parent(int token) {
        return isChain() ? token - 1 : parents[token];
    }

    /** Number of predecessors of a token on its path. */
    public int level(int token) {
        return isChain() ? token : levels[token];
    }

    /**
     * Path from the first token to another one.
     *
     * @return indexes of the tokens, ascending
     */
    public int[] path(int token) {
        int[] path = new int[level(token) + 1];
        for (int i = token, at = path.length - 1; at >= 0; at--) {
            path[at] = i;
            i = parent(i);
        }
        return path;
    }

    /** Indexes of the predecessors; empty for a chain. */
    public int[] parents() {
        return parents.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TokenTree tree && Arrays.equals(parents, tree.parents);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(parents);
    }

    @Override
    public String toString() {
        return isChain() ? "chain" : Arrays.toString(parents);
    }
}
