package dev.varve.platform.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The printable alphabet in which byte-level BPE vocabularies write bytes: 0x21-0x7E, 0xA1-0xAC and
 * 0xAE-0xFF stand for themselves as code points, the other 68 bytes are U+0100 onwards in ascending
 * order.
 */
final class ByteAlphabet {
    private static final int[] CODE_POINTS = codePoints();
    private static final int[] BYTES = bytes();

    private ByteAlphabet() {}

    /** UTF-8 of the character that stands for a byte, 0 to 255. */
    static byte[] encode(int value) {
        return Character.toString(CODE_POINTS[value]).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The bytes that a token text stands for. Characters outside of the alphabet stand for their
     * own UTF-8.
     */
    static byte[] decode(byte[] text) {
        if (!Utf8.isWellFormed(text)) {
            return text.clone();
        }
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(text.length);
        for (int at = 0; at < text.length; ) {
            int codePoint = Utf8.codePointAt(text, at);
            int length = Utf8.length(codePoint);
            if (codePoint < BYTES.length && BYTES[codePoint] >= 0) {
                decoded.write(BYTES[codePoint]);
            } else {
                decoded.write(text, at, length);
            }
            at += length;
        }
        return decoded.toByteArray();
    }

    private static int[] codePoints() {
        int[] codePoints = new int[256];
        int shifted = 0x100;
        for (int value = 0; value < 256; value++) {
            boolean printable = value >= 0x21 && value <= 0x7E || value >= 0xA1 && value != 0xAD;
            codePoints[value] = printable ? value : shifted++;
        }
        return codePoints;
    }

    private static int[] bytes() {
        int[] bytes = new int[0x100 + 68];
        Arrays.fill(bytes, -1);
        for (int value = 0; value < 256; value++) {
            bytes[CODE_POINTS[value]] = value;
        }
        return bytes;
    }
}
