package dev.varve.platform.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Tokens of a slice that are part of their sequence: the first of them and, ascending, others that
 * follow one another. What was computed of them moves together. Immutable.
 */
public final class TokenPath {
    private final int length;

    /** Their numbers, unless they are the first ones. */
    private final int[] tokens;

    private TokenPath(int length, int[] tokens) {
        this.length = length;
        this.tokens = tokens;
    }

    /**
     * Tokens of a tree.
     *
     * @param tokens their numbers in the slice
     * @throws IllegalArgumentException if they do not begin with 0 or do not ascend
     */
    public static TokenPath of(int... tokens) {
        boolean ascends = tokens.length > 0 && tokens[0] == 0;
        for (int i = 1; i < tokens.length; i++) {
            ascends &= tokens[i] > tokens[i - 1];
        }
        if (!ascends) {
            throw new IllegalArgumentException(
                    "path: expected numbers that ascend from 0, found " + Arrays.toString(tokens));
        }
        boolean straight = tokens[tokens.length - 1] == tokens.length - 1;
        return straight ? first(tokens.length) : new TokenPath(tokens.length, tokens.clone());
    }

    /**
     * The first tokens.
     *
     * @param count at least one
     */
    public static TokenPath first(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("path of " + count + " tokens");
        }
        return new TokenPath(count, new int[0]);
    }

    /** How many there are. */
    public int length() {
        return length;
    }

    /** The number of one of them in the slice. */
    public int token(int index) {
        return isStraight() ? index : tokens[index];
    }

    /** Number of the last one. */
    public int last() {
        return token(length - 1);
    }

    /** Whether they are the first ones, so that nothing moves. */
    public boolean isStraight() {
        return tokens.length == 0;
    }

    /**
     * Neighbours that move to where they belong.
     *
     * @param from number of the first
     * @param to where it goes, which is before that
     * @param count how many
     */
    public record Move(int from, int to, int count) {}

    /** What brings them together; to be done in this order, in which nothing is overwritten. */
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
        return other instanceof TokenPath path
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
