package dev.varve.platform.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Tokens of a chunk that become part of their sequence: the first token and, ascending, others that
 * follow one another. Their computed values are moved together. Immutable.
 */
public final class AcceptedPath {
    private final int length;

    /** Indexes of the tokens; empty if they are the first ones. */
    private final int[] tokens;

    private AcceptedPath(int length, int[] tokens) {
        this.length = length;
        this.tokens = tokens;
    }

    /**
     * Creates the path of tokens in a tree.
     *
     * @param tokens their indexes in the chunk
     * @throws IllegalArgumentException if they do not begin with 0 or do not ascend
     */
    public static AcceptedPath of(int... tokens) {
        boolean ascends = tokens.length > 0 && tokens[0] == 0;
        for (int i = 1; i < tokens.length; i++) {
            ascends &= tokens[i] > tokens[i - 1];
        }
        if (!ascends) {
            throw new IllegalArgumentException(
                    "path: expected numbers that ascend from 0, found " + Arrays.toString(tokens));
        }
        boolean straight = tokens[tokens.length - 1] == tokens.length - 1;
        return straight ? first(tokens.length) : new AcceptedPath(tokens.length, tokens.clone());
    }

    /**
     * Creates the path of the first tokens.
     *
     * @param count at least one
     */
    public static AcceptedPath first(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a path needs at least 1 token, got " + count);
        }
        return new AcceptedPath(count, new int[0]);
    }

    /** Number of tokens. */
    public int length() {
        return length;
    }

    /** Index in the chunk of a token of the path. */
    public int token(int index) {
        return isStraight() ? index : tokens[index];
    }

    /** Index in the chunk of the last token. */
    public int last() {
        return token(length - 1);
    }

    /** Whether the tokens are the first ones of the chunk, so that nothing moves. */
    public boolean isStraight() {
        return tokens.length == 0;
    }

    /**
     * Adjacent tokens that move to lower indexes.
     *
     * @param from index of the first
     * @param to its new index, below {@code from}
     * @param count number of tokens
     */
    public record Move(int from, int to, int count) {}

    /**
     * Moves that make the tokens adjacent; in this order none overwrites a token that is still
     * needed.
     */
    public List<Move> moves() {
        List<Move> moves = new ArrayList<>();
        int begin = 0;
        for (int i = 1; i <= tokens.length; i++) {
            if (i == tokens.length || tokens[i] != tokens[i - 1] + 1) {
                if (tokens[begin] != begin) {
                    moves.add(new Move(tokens[begin], begin, i - begin));
                }
                begin = i;
            }
        }
        return moves;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AcceptedPath path
                && length == path.length
                && Arrays.equals(tokens, path.tokens);
    }

    @Override
    public int hashCode() {
        return 31 * length + Arrays.hashCode(tokens);
    }

    @Override
    public String toString() {
        return isStraight() ? "the first " + length : Arrays.toString(tokens);
    }
}
