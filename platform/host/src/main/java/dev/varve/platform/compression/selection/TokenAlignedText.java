package dev.varve.platform.compression.selection;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * Text as the bytes of its tokens, in UTF-8. A token may begin or end within a character.
 * Immutable.
 *
 * <p>Borders are numbered as tokens are: border i lies before token i, and the last one behind the
 * last token.
 */
public final class TokenAlignedText {
    /** Most bytes of a character. */
    private static final int LONGEST = 4;

    private final byte[] bytes;

    /** For each border the number of bytes before it. */
    private final int[] offsets;

    /**
     * For each border the number of the text's chars, as Java counts them, that begin before it.
     */
    private final int[] chars;

    private final BitSet specials;

    private TokenAlignedText(byte[] bytes, int[] offsets, BitSet specials) {
        this.bytes = bytes;
        this.offsets = offsets;
        this.specials = specials;
        chars = chars(bytes, offsets);
    }

    /**
     * Creates the text of tokens.
     *
     * @param piece returns the bytes of a token by its id; those of special tokens are their
     *     spelling
     * @param special whether a token, by its id, is no part of a word
     */
    public static TokenAlignedText of(int[] ids, IntFunction<byte[]> piece, IntPredicate special) {
        byte[][] pieces = new byte[ids.length][];
        int[] offsets = new int[ids.length + 1];
        BitSet specials = new BitSet();
        for (int token = 0; token < ids.length; token++) {
            pieces[token] = piece.apply(ids[token]);
            offsets[token + 1] = Math.addExact(offsets[token], pieces[token].length);
            specials.set(token, special.test(ids[token]));
        }
        byte[] bytes = new byte[offsets[ids.length]];
        for (int token = 0; token < ids.length; token++) {
            System.arraycopy(pieces[token], 0, bytes, offsets[token], pieces[token].length);
        }
        return new TokenAlignedText(bytes, offsets, specials);
    }

    /** Returns the number of tokens. */
    public int tokens() {
        return offsets.length - 1;
    }

    /** Returns the text of some tokens; half a character at its ends becomes U+FFFD. */
    public String text(TokenRange range) {
        return text(offsets[range.begin()], offsets[range.end()]);
    }

    /** Returns the bytes of the text before a border. */
    int bytesBefore(int border) {
        return offsets[border];
    }

    /** Returns the chars of the text, as Java counts them, that begin before a border. */
    public int charsBefore(int border) {
        return chars[border];
    }

    /** Returns the tokens that hold any byte of some characters. */
    public TokenRange tokensOf(CharRange range) {
        if (range.end() > chars[tokens()]) {
            throw new IllegalArgumentException(
                    "the text has " + chars[tokens()] + " chars, got " + range);
        }
        int begin = firstWith(range.begin() + 1) - 1;
        int end = firstWith(range.end());
        while (!isCharacterBorder(end)) {
            end++;
        }
        return new TokenRange(begin, end);
    }

    /** Protects characters, and the rest of their tokens. */
    public ProtectedSpans protect(List<CharRange> ranges) {
        return new ProtectedSpans(ranges.stream().map(this::tokensOf).toList());
    }

    /** Whether no character crosses a border. */
    boolean isCharacterBorder(int border) {
        int offset = offsets[border];
        if (offset == bytes.length || !isContinuation(bytes[offset])) {
            return true;
        }
        int lead = leadBefore(offset);
        if (lead < 0 || lead + length(bytes[lead]) <= offset) {
            return true;
        }
        int end = lead + length(bytes[lead]);
        for (int i = offset; i < end; i++) {
            if (i == bytes.length || !isContinuation(bytes[i])) {
                // An incomplete sequence is no character.
                return true;
            }
        }
        return false;
    }

    /** Whether the text at a border begins with white space, or with no word. */
    boolean mayBegin(int border) {
        return border == 0
                || isCharacterBorder(border) && (isBesideSpecial(border) || isSpaceBehind(border));
    }

    /** Whether the text before a border ends with a whole word. */
    boolean mayEnd(int border) {
        return border == tokens()
                || isCharacterBorder(border)
                        && (isBesideSpecial(border)
                                || isSpaceBehind(border)
                                || isSpaceBefore(border));
    }

    private boolean isBesideSpecial(int border) {
        return specials.get(border) || specials.get(border - 1);
    }

    private boolean isSpaceBehind(int border) {
        int offset = offsets[border];
        return offset < bytes.length
                && isSpace(offset, Math.min(bytes.length, offset + length(bytes[offset])));
    }

    private boolean isSpaceBefore(int border) {
        int lead = leadBefore(offsets[border]);
        return lead >= 0 && isSpace(lead, offsets[border]);
    }

    private boolean isSpace(int begin, int end) {
        int character = text(begin, end).codePointAt(0);
        return Character.isWhitespace(character) || Character.isSpaceChar(character);
    }

    private String text(int begin, int end) {
        return new String(bytes, begin, end - begin, StandardCharsets.UTF_8);
    }

    /**
     * Returns the last byte before an offset that begins a character; -1 if none is near enough.
     */
    private int leadBefore(int offset) {
        for (int i = offset - 1; i >= Math.max(0, offset - LONGEST); i--) {
            if (!isContinuation(bytes[i])) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the first border before which {@code count} chars have begun. */
    private int firstWith(int count) {
        int low = 0;
        int high = tokens();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (chars[middle] < count) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static int[] chars(byte[] bytes, int[] offsets) {
        int[] chars = new int[offsets.length];
        for (int border = 1; border < offsets.length; border++) {
            int count = chars[border - 1];
            for (int i = offsets[border - 1]; i < offsets[border]; i++) {
                count += isContinuation(bytes[i]) ? 0 : Math.max(1, length(bytes[i]) - 2);
            }
            chars[border] = count;
        }
        return chars;
    }

    private static boolean isContinuation(byte value) {
        return (value & 0xC0) == 0x80;
    }

    /** Returns the length of the character of a lead byte, in bytes. */
    private static int length(byte lead) {
        if (lead >= 0) {
            return 1;
        }
        return (lead & 0xE0) == 0xC0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : LONGEST;
    }
}
