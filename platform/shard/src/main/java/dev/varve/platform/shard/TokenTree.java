package dev.varve.platform.shard;

import dev.varve.api.backend.TokenTrees;

import java.util.Arrays;

/**
 * Which token each token of a {@link SequenceChunk} follows: the one before it in a chain, or any
 * earlier one. Tokens that follow the same one are guesses for the same position. Immutable.
 */
public final class TokenTree {
    /** Each token follows the one before it, however many there are. */
    public static final TokenTree CHAIN = new TokenTree(new int[0], new int[0]);

    private final int[] parents;
    private final int[] levels;

    private TokenTree(int[] parents, int[] levels) {
        this.parents = parents;
        this.levels = levels;
    }

    /**
     * A tree; {@link #CHAIN} if it does not branch.
     *
     * @param parents for each token, the number of the one that it follows; -1 for the first one
     * @throws IllegalArgumentException if one follows no earlier one, or the tree is too large
     */
    public static TokenTree of(int[] parents) {
        if (parents.length > TokenTrees.MOST_TOKENS) {
            throw new IllegalArgumentException(
                    "tree of " + parents.length + " tokens, more than " + TokenTrees.MOST_TOKENS);
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

    /** Whether no token has another predecessor than the one before it. */
    public boolean isChain() {
        return parents.length == 0;
    }

    /** Whether it is of a slice of so many tokens. */
    boolean fits(int tokens) {
        return isChain() || parents.length == tokens;
    }

    /** The token that another one follows; -1 for the first. */
    public int parent(int token) {
        return isChain() ? token - 1 : parents[token];
    }

    /** How many tokens of the slice are before one on its path. */
    public int level(int token) {
        return isChain() ? token : levels[token];
    }

    /**
     * Tokens from the first one to another one, each of which follows the one before.
     *
     * @return their numbers, ascending
     */
    public int[] path(int token) {
        int[] path = new int[level(token) + 1];
        for (int i = token, at = path.length - 1; at >= 0; at--) {
            path[at] = i;
            i = parent(i);
        }
        return path;
    }

    /** The parents; none for a chain. */
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
