package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;

/** Tokens for one byte, written {@code <0xHH>} in upper case. */
final class ByteToken {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private ByteToken() {}

    static byte[] text(int value) {
        return ("<0x" + HEX.toHexDigits((byte) value) + ">").getBytes(StandardCharsets.US_ASCII);
    }

    /** The byte that such a token stands for; the text itself if it has another form. */
    static byte[] decode(byte[] text) {
        String spelled = new String(text, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
        boolean wellFormed =
                spelled.length() == 6
                        && spelled.startsWith("<0X")
                        && HexFormat.isHexDigit(spelled.charAt(3))
                        && HexFormat.isHexDigit(spelled.charAt(4))
                        && spelled.endsWith(">");
        return wellFormed ? HEX.parseHex(spelled, 3, 5) : text.clone();
    }
}
