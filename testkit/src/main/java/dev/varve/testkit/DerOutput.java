package dev.varve.testkit;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Elements of DER, the encoding of certificates (X.690): a tag, a length and a content. */
final class DerOutput {
    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BITS = 0x03;
    private static final int OCTETS = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int TEXT = 0x0C;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int TIME = 0x17;

    /** Years of two digits: a time of UTCTime is between 1950 and 2049. */
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private DerOutput() {}

    static byte[] sequence(byte[]... parts) {
        return element(SEQUENCE, parts);
    }

    static byte[] set(byte[]... parts) {
        return element(SET, parts);
    }

    static byte[] octets(byte[] content) {
        return element(OCTETS, content);
    }

    static byte[] bits(byte[] content) {
        return element(BITS, new byte[] {0}, content);
    }

    static byte[] integer(BigInteger value) {
        return element(INTEGER, value.toByteArray());
    }

    static byte[] yes() {
        return element(BOOLEAN, new byte[] {(byte) 0xFF});
    }

    static byte[] text(String value) {
        return element(TEXT, value.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant value) {
        return element(TIME, SECONDS.format(value).getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * An object identifier.
     *
     * @param dotted its numbers, such as {@code 2.5.4.3}
     */
    static byte[] identifier(String dotted) {
        String[] words = dotted.split("\\.");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writeNumber(out, 40 * Integer.parseInt(words[0]) + Integer.parseInt(words[1]));
        for (int i = 2; i < words.length; i++) {
            writeNumber(out, Integer.parseInt(words[i]));
        }
        return element(OBJECT_IDENTIFIER, out.toByteArray());
    }

    /** Groups of seven bits, of which all but the last have the highest bit set. */
    private static void writeNumber(ByteArrayOutputStream out, int value) {
        for (int shift = 28; shift > 0; shift -= 7) {
            if (value >>> shift != 0) {
                out.write(value >>> shift & 0x7F | 0x80);
            }
        }
        out.write(value & 0x7F);
    }

    /** An element of any tag, whose content is these parts. */
    static byte[] element(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        writeLength(out, content.size());
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }

    private static void writeLength(ByteArrayOutputStream out, int length) {
        if (length < 0x80) {
            out.write(length);
            return;
        }
        byte[] digits = BigInteger.valueOf(length).toByteArray();
        int from = digits[0] == 0 ? 1 : 0;
        out.write(0x80 | digits.length - from);
        out.write(digits, from, digits.length - from);
    }
}
