package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * A set of tokens: those that may come next. Bit {@code token % 64} of word {@code token / 64} says
 * whether a token belongs to it; tokens behind the last word do not. Immutable by contract: nobody
 * changes the words once the mask is made, so that they need not be copied for each token.
 */
public final class TokenMask {
    private final long[] words;

    private TokenMask(long[] words) {
        this.words = words;
    }

    /**
     * The mask of some words.
     *
     * @param words not copied; not to be changed any more
     */
    public static TokenMask of(long[] words) {
        return new TokenMask(words);
    }

    /** The mask of some tokens, in any order. */
    public static TokenMask ofTokens(int... tokens) {
        int length = 0;
        for (int token : tokens) {
            length = Math.max(length, token / Long.SIZE + 1);
        }
        long[] words = new long[length];
        for (int token : tokens) {
            words[token / Long.SIZE] |= 1L << token;
        }
        return new TokenMask(words);
    }

    /** Whether a token belongs to the set. */
    public boolean allows(int token) {
        int word = token >> 6;
        return word >= 0 && word < words.length && (words[word] & 1L << token) != 0;
    }

    /** Whether no token does. */
    public boolean isEmpty() {
        for (long word : words) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    /** How many tokens do. */
    public int cardinality() {
        int count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /** The words; not to be changed. */
    public long[] words() {
        return words;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof TokenMask mask)) {
            return false;
        }
        int common = Math.min(words.length, mask.words.length);
        return Arrays.equals(words, 0, common, mask.words, 0, common)
                && isEmptyFrom(common)
                && mask.isEmptyFrom(common);
    }

    @Override
    public int hashCode() {
        int last = words.length;
        while (last > 0 && words[last - 1] == 0) {
            last--;
        }
        return Arrays.hashCode(Arrays.copyOf(words, last));
    }

    private boolean isEmptyFrom(int begin) {
        for (int i = begin; i < words.length; i++) {
            if (words[i] != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return "mask of " + cardinality() + " tokens";
    }
}
