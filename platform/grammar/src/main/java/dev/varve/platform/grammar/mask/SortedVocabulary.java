package dev.varve.platform.grammar.mask;

import dev.varve.platform.grammar.regex.PlainCharacters;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * A vocabulary, sorted for masks. A token's place is its bit in a mask; tokens that are likely to
 * be permitted together are adjacent:
 *
 * <ul>
 *   <li>plain ones, of plain characters alone, in the order of their bytes;
 *   <li>mixed ones: some plain characters, and a rest that begins with another byte; sorted by the
 *       number of these characters, then by the rest, so that equal rests are adjacent;
 *   <li>special ones, which are no text: the grammar reads them as bytes {@code 0xFF, id >> 16, id
 *       >> 8, id};
 *   <li>tokens without bytes, or with the first byte of special ones, which no grammar permits.
 * </ul>
 *
 * <p>Created once for a tokenizer; immutable.
 */
public final class SortedVocabulary {
    /** The first byte of a special token, which no UTF-8 text has. */
    public static final int SPECIAL = 0xff;

    final ByteTrie plain;

    /** Number of characters and the character set below its nodes. */
    final SubtreeCharacters plainFollowers;

    /** Masks of the plain tokens of up to a number of characters, for small numbers. */
    final long[][] plainUpTo;

    /** All mixed tokens by their bytes; its numbers are indices of {@link #mixedPlaces}. */
    final ByteTrie mixed;

    final int[] mixedPlaces;

    /**
     * The rests of mixed tokens, by the number of plain characters before them; numbered by rest.
     */
    final ByteTrie[] rests;

    /**
     * Places of the tokens with a rest, by the number of characters before it: first, and last plus
     * one.
     */
    final int[][] restPlaces;

    /** If strings may be longer than this, few tokens are too long, and checking them is quick. */
    private static final int MOST_COUNTED = 16;

    private final byte[][] bytes;
    private final int[] places;
    private final int[] tokens;
    private final int[] specials;

    /** A token while the table is built. */
    private record Token(int id, byte[] bytes, int prefix, int characters) {
        byte[] rest() {
            return Arrays.copyOfRange(bytes, prefix, bytes.length);
        }

        boolean isPlain() {
            return prefix == bytes.length;
        }
    }

    /** Builds the table of a tokenizer. */
    public static SortedVocabulary of(Tokenizer tokenizer) {
        byte[][] bytes = new byte[tokenizer.vocabularySize()][];
        boolean[] special = new boolean[bytes.length];
        for (int id = 0; id < bytes.length; id++) {
            special[id] = tokenizer.isSpecial(id);
            bytes[id] = tokenizer.piece(id);
        }
        return new SortedVocabulary(bytes, special);
    }

    /**
     * @param texts the bytes of each token; ignored for special ones
     * @param special whether a token is no text
     */
    SortedVocabulary(byte[][] texts, boolean[] special) {
        bytes = new byte[texts.length][];
        places = new int[texts.length];
        List<Token> plainTokens = new ArrayList<>();
        List<Token> mixedTokens = new ArrayList<>();
        List<Integer> specialTokens = new ArrayList<>();
        List<Integer> silent = new ArrayList<>();
        for (int id = 0; id < texts.length; id++) {
            bytes[id] = special[id] ? specialBytes(id) : text(texts[id]);
            Token token = token(id, bytes[id]);
            if (special[id]) {
                specialTokens.add(id);
            } else if (bytes[id].length == 0) {
                silent.add(id);
            } else {
                (token.isPlain() ? plainTokens : mixedTokens).add(token);
            }
        }
        Comparator<Token> byBytes = Comparator.comparing(Token::bytes, Arrays::compareUnsigned);
        plainTokens.sort(byBytes);
        int place = place(plainTokens, 0);
        mixedTokens.sort(
                Comparator.comparingInt(Token::characters)
                        .thenComparing(Token::rest, Arrays::compareUnsigned)
                        .thenComparingInt(Token::id));
        int most = mixedTokens.isEmpty() ? 0 : mixedTokens.getLast().characters + 1;
        rests = new ByteTrie[most];
        restPlaces = new int[most][];
        groupRests(mixedTokens, place);
        place = place(mixedTokens, place);
        for (int id : specialTokens) {
            places[id] = place++;
        }
        for (int id : silent) {
            places[id] = place++;
        }
        plain = ByteTrie.of(strings(plainTokens, Token::bytes), 0);
        plainFollowers = new SubtreeCharacters(plain);
        plainUpTo = countPlain(plainTokens);
        mixedTokens.sort(byBytes);
        mixed = ByteTrie.of(strings(mixedTokens, Token::bytes), 0);
        mixedPlaces = mixedTokens.stream().mapToInt(token -> places[token.id]).toArray();
        tokens = new int[places.length];
        for (int id = 0; id < places.length; id++) {
            tokens[places[id]] = id;
        }
        specials = specialTokens.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Token token(int id, byte[] bytes) {
        int prefix = PlainCharacters.prefix(bytes);
        return new Token(id, bytes, prefix, PlainCharacters.characters(bytes, prefix));
    }

    private int place(List<Token> tokens, int from) {
        int place = from;
        for (Token token : tokens) {
            places[token.id] = place++;
        }
        return place;
    }

    private long[][] countPlain(List<Token> tokens) {
        int most = tokens.stream().mapToInt(Token::characters).max().orElse(0);
        long[][] masks = new long[Math.min(most, MOST_COUNTED) + 1][(places.length + 63) / 64];
        for (Token token : tokens) {
            int place = places[token.id];
            for (int count = token.characters; count < masks.length; count++) {
                masks[count][place >> 6] |= 1L << place;
            }
        }
        return masks;
    }

    private static byte[][] strings(List<Token> tokens, Function<Token, byte[]> part) {
        return tokens.stream().map(part).toArray(byte[][]::new);
    }

    /**
     * Groups the rests by the number of characters before them, with the places of their tokens.
     */
    private void groupRests(List<Token> sorted, int base) {
        int at = 0;
        for (int count = 0; count < rests.length; count++) {
            List<byte[]> distinct = new ArrayList<>();
            List<Integer> begins = new ArrayList<>();
            while (at < sorted.size() && sorted.get(at).characters == count) {
                byte[] rest = sorted.get(at).rest();
                if (distinct.isEmpty() || !Arrays.equals(distinct.getLast(), rest)) {
                    distinct.add(rest);
                    begins.add(base + at);
                }
                at++;
            }
            begins.add(base + at);
            rests[count] = ByteTrie.of(distinct.toArray(byte[][]::new), 0);
            restPlaces[count] = begins.stream().mapToInt(Integer::intValue).toArray();
        }
    }

    /** A byte vocabulary has that byte, too; other vocabularies must not use it as text. */
    private static byte[] text(byte[] bytes) {
        for (byte each : bytes) {
            if (each == (byte) SPECIAL) {
                return new byte[0];
            }
        }
        return bytes;
    }

    /** Bytes of a special token, as a grammar reads them. */
    public static byte[] specialBytes(int id) {
        return new byte[] {(byte) SPECIAL, (byte) (id >> 16), (byte) (id >> 8), (byte) id};
    }

    /** Number of tokens. */
    public int size() {
        return places.length;
    }

    /** Bytes of a token, as a grammar reads them; not to be modified. */
    public byte[] bytes(int token) {
        return bytes[token];
    }

    /** The place of each token in a mask; not to be modified. */
    public int[] places() {
        return places;
    }

    /** The token at each place of a mask; not to be modified. */
    public int[] tokens() {
        return tokens;
    }

    int[] specials() {
        return specials;
    }
}
