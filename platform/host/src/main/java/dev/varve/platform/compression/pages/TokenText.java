package dev.varve.platform.compression.pages;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Text of tokens that may begin or end within a character. Bytes that are not UTF-8 are dropped.
 * Immutable.
 */
final class TokenText {
    private final byte[] bytes;

    /** For each border between tokens, the bytes of the complete characters before it. */
    private final int[] borders;

    /** Number of text bytes; the array may be longer. */
    private final int length;

    private TokenText(byte[] bytes, int[] borders, int length) {
        this.bytes = bytes;
        this.borders = borders;
        this.length = length;
    }

    /**
     * Creates the text of tokens.
     *
     * @param piece returns the bytes of a token by its id; empty for a token without text
     */
    static TokenText of(int[] ids, IntFunction<byte[]> piece) {
        byte[][] pieces = new byte[ids.length][];
        int[] offsets = new int[ids.length + 1];
        for (int token = 0; token < ids.length; token++) {
            pieces[token] = piece.apply(ids[token]);
            offsets[token + 1] = Math.addExact(offsets[token], pieces[token].length);
        }
        byte[] raw = new byte[offsets[ids.length]];
        for (int token = 0; token < ids.length; token++) {
            System.arraycopy(pieces[token], 0, raw, offsets[token], pieces[token].length);
        }
        return wellFormed(raw, offsets);
    }

    /** Removes bytes that are not text, in place. */
    private static TokenText wellFormed(byte[] raw, int[] offsets) {
        int[] borders = new int[offsets.length];
        int border = 0;
        int length = 0;
        for (int at = 0; at < raw.length; ) {
            int character = characterAt(raw, at);
            int end = at + Math.max(1, character);
            while (border < offsets.length && offsets[border] < end) {
                borders[border++] = length;
            }
            System.arraycopy(raw, at, raw, length, character);
            length += character;
            at = end;
        }
        while (border < borders.length) {
            borders[border++] = length;
        }
        return new TokenText(raw, borders, length);
    }

    /** Returns the length of the character at a position in bytes; 0 if none begins there. */
    private static int characterAt(byte[] bytes, int at) {
        byte lead = bytes[at];
        if (lead >= 0) {
            return 1;
        }
        int count = (lead & 0xE0) == 0xC0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : 4;
        if (at + count > bytes.length) {
            return 0;
        }
        String text = new String(bytes, at, count, StandardCharsets.UTF_8);
        byte[] again = text.getBytes(StandardCharsets.UTF_8);
        boolean isOne =
                text.codePointCount(0, text.length()) == 1
                        && Arrays.equals(again, 0, again.length, bytes, at, at + count);
        return isOne ? count : 0;
    }

    /** Returns the text. */
    String text() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** Returns the number of its bytes in UTF-8. */
    int bytes() {
        return length;
    }

    /** Returns the bytes of complete characters before a token; of all characters for the end. */
    int bytesBefore(int token) {
        return borders[token];
    }
}
