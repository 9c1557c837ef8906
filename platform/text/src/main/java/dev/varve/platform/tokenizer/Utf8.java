package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** UTF-8 functions of the tokenizer. The methods that read a code point expect well-formed text. */
final class Utf8 {
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /** Encodes text; each unpaired surrogate becomes U+FFFD. */
    static byte[] encode(String text) {
        return replaceUnpairedSurrogates(text).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Decodes {@code bytes[from, to)}; each maximal subpart that is ill-formed becomes one U+FFFD,
     * as the Unicode and WHATWG standards recommend.
     */
    static String decode(byte[] bytes, int from, int to) {
        String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
        // The JDK replaces an encoded surrogate as a whole, so its replacements depend on where a
        // stream is cut.
        return text.indexOf(REPLACEMENT) < 0 ? text : decodeIllFormed(bytes, from, to);
    }

    private static String decodeIllFormed(byte[] bytes, int from, int to) {
        StringBuilder text = new StringBuilder(to - from);
        for (int at = from; at < to; ) {
            int lead = bytes[at] & 0xFF;
            int expected = sequenceLength(lead);
            int length = 1;
            while (length < expected
                    && at + length < to
                    && continues(lead, length, bytes[at + length] & 0xFF)) {
                length++;
            }
            boolean wellFormed = length == expected && (lead < 0x80 || expected > 1);
            text.appendCodePoint(wellFormed ? codePointAt(bytes, at) : REPLACEMENT);
            at += length;
        }
        return text.toString();
    }

    /** The code point that starts at byte {@code at}. */
    static int codePointAt(byte[] text, int at) {
        int lead = text[at];
        if (lead >= 0) {
            return lead;
        }
        if (lead < (byte) 0xE0) {
            return (lead & 0x1F) << 6 | text[at + 1] & 0x3F;
        }
        if (lead < (byte) 0xF0) {
            return (lead & 0x0F) << 12 | (text[at + 1] & 0x3F) << 6 | text[at + 2] & 0x3F;
        }
        return (lead & 0x07) << 18
                | (text[at + 1] & 0x3F) << 12
                | (text[at + 2] & 0x3F) << 6
                | text[at + 3] & 0x3F;
    }

    /** Number of bytes of a code point. */
    static int length(int codePoint) {
        if (codePoint < 0x80) {
            return 1;
        }
        if (codePoint < 0x800) {
            return 2;
        }
        return codePoint < 0x10000 ? 3 : 4;
    }

    /** Returns whether a byte is a continuation byte. */
    static boolean isContinuation(byte value) {
        return (value & 0xC0) == 0x80;
    }

    static boolean isWellFormed(byte[] text) {
        return Arrays.equals(
                new String(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8), text);
    }

    /**
     * Number of bytes, among the first {@code length}, that can be decoded now: all except a
     * truncated sequence at the end that further bytes can still complete. At most 3 less than
     * {@code length}.
     */
    static int decodableLength(byte[] bytes, int length) {
        for (int back = 1; back <= Math.min(3, length); back++) {
            int lead = bytes[length - back] & 0xFF;
            if ((lead & 0xC0) != 0x80) {
                boolean cut =
                        sequenceLength(lead) > back
                                && (back == 1
                                        || continues(lead, 1, bytes[length - back + 1] & 0xFF));
                return cut ? length - back : length;
            }
        }
        return length;
    }

    /** Bytes of the sequence that a lead byte announces; 1 for bytes that are no lead bytes. */
    private static int sequenceLength(int lead) {
        if (lead < 0xC2 || lead > 0xF4) {
            return 1;
        }
        if (lead < 0xE0) {
            return 2;
        }
        return lead < 0xF0 ? 3 : 4;
    }

    /**
     * Returns whether a byte is valid at {@code place} in the sequence of a lead byte: a
     * continuation byte, and as the second one none that makes an overlong form, a surrogate or a
     * code point above U+10FFFF.
     */
    private static boolean continues(int lead, int place, int value) {
        if ((value & 0xC0) != 0x80) {
            return false;
        }
        if (place > 1) {
            return true;
        }
        return switch (lead) {
            case 0xE0 -> value >= 0xA0;
            case 0xED -> value <= 0x9F;
            case 0xF0 -> value >= 0x90;
            case 0xF4 -> value <= 0x8F;
            default -> true;
        };
    }

    private static String replaceUnpairedSurrogates(String text) {
        int at = unpairedSurrogate(text, 0);
        if (at < 0) {
            return text;
        }
        StringBuilder repaired = new StringBuilder(text);
        while (at >= 0) {
            repaired.setCharAt(at, REPLACEMENT);
            at = unpairedSurrogate(text, at + 1);
        }
        return repaired.toString();
    }

    private static int unpairedSurrogate(String text, int from) {
        for (int at = from; at < text.length(); at++) {
            char unit = text.charAt(at);
            if (Character.isSurrogate(unit)) {
                boolean paired =
                        Character.isHighSurrogate(unit)
                                && at + 1 < text.length()
                                && Character.isLowSurrogate(text.charAt(at + 1));
                if (!paired) {
                    return at;
                }
                at++;
            }
        }
        return -1;
    }
}
