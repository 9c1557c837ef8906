package dev.varve.platform.sampling;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A set of tokens that may come next. Each token has a bit; tokens without one are not in the set.
 * Immutable by contract: the arrays must not be modified once the mask is created, so that they
 * need not be copied for each token.
 */
public final class TokenMask {
    private static final int[] OWN_PLACES = {};

    private final long[] words;
    private final int[] places;
    private final int[] tokens;

    private TokenMask(long[] words, int[] places, int[] tokens) {
        this.words = words;
        this.places = places;
        this.tokens = tokens;
    }

    /**
     * Creates a mask from bits: bit {@code token % 64} of word {@code token / 64} is that of a
     * token.
     *
     * @param words not copied; must not be modified afterwards
     */
    public static TokenMask of(long[] words) {
        return new TokenMask(words, OWN_PLACES, OWN_PLACES);
    }

    /**
     * Creates a mask from bits in another order of the tokens.
     *
     * @param words not copied; must not be modified afterwards
     * @param places bit of each token, starting with token 0; all different; not copied; must not
     *     be modified afterwards
     * @param tokens the inverse: token of each bit; not copied; must not be modified afterwards
     */
    public static TokenMask of(long[] words, int[] places, int[] tokens) {
        return new TokenMask(words, places, tokens);
    }

    /** Creates the mask of some tokens, in any order. */
    public static TokenMask ofTokens(int... tokens) {
        long[] words = new long[IntStream.of(tokens).max().orElse(-1) / Long.SIZE + 1];
        for (int token : tokens) {
            words[token / Long.SIZE] |= 1L << token;
        }
        return of(words);
    }

    /** Returns whether a token belongs to the set. */
    public boolean allows(int token) {
        int bit = token;
        if (places != OWN_PLACES) {
            if (token < 0 || token >= places.length) {
                return false;
            }
            bit = places[token];
        }
        int word = bit >> 6;
        return word >= 0 && word < words.length && (words[word] & 1L << bit) != 0;
    }

    /** Returns whether the set is empty. */
    public boolean isEmpty() {
        for (long word : words) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of tokens in the set. */
    public int cardinality() {
        int count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /** Returns all of its tokens, unordered, if there are at most {@code most}. */
    Optional<int[]> few(int most) {
        int count = cardinality();
        if (count > most) {
            return Optional.empty();
        }
        int[] all = new int[count];
        int next = 0;
        for (int i = 0; i < words.length; i++) {
            for (long rest = words[i]; rest != 0; rest &= rest - 1) {
                int bit = i * Long.SIZE + Long.numberOfTrailingZeros(rest);
                all[next++] = places == OWN_PLACES ? bit : tokens[bit];
            }
        }
        return Optional.of(all);
    }

    /** Returns the same set plus a token. */
    public TokenMask with(int token) {
        int bit = places == OWN_PLACES ? token : places[token];
        long[] more = Arrays.copyOf(words, Math.max(words.length, bit / Long.SIZE + 1));
        more[bit / Long.SIZE] |= 1L << bit;
        return new TokenMask(more, places, tokens);
    }

    @Override
    public String toString() {
        return "mask of " + cardinality() + " tokens";
    }
}
