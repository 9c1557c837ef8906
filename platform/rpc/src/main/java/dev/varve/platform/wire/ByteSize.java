package dev.varve.platform.wire;

import dev.varve.api.VarveException;
import dev.varve.api.VarveException.Kind;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses sizes in their usual notation: {@code 64MiB}, {@code 512KiB}, {@code 1GiB}, or plain
 * bytes.
 */
public final class ByteSize {
    private static final Pattern TEXT = Pattern.compile("([0-9]+)(B|KiB|MiB|GiB|TiB)?");

    private ByteSize() {}

    /**
     * Parses a size into bytes.
     *
     * @param name flag or variable that the text comes from, for the error
     * @throws VarveException of kind INVALID_REQUEST for anything else, such as signs, blanks,
     *     fractions, other units, or more than 2^63 - 1 bytes
     */
    public static long parse(String name, String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw refused(name, "a size such as 64MiB, or plain bytes", text);
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit(matcher.group(2)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw refused(name, "at most " + Long.MAX_VALUE + " bytes", text);
        }
    }

    /** Parses a size that must lie in a range. */
    public static long parse(String name, String text, long min, long max) {
        long bytes = parse(name, text);
        if (bytes < min || bytes > max) {
            throw refused(name, String.format(Locale.ROOT, "%d to %d bytes", min, max), text);
        }
        return bytes;
    }

    private static long unit(String unit) {
        return switch (unit) {
            case "KiB" -> 1L << 10;
            case "MiB" -> 1L << 20;
            case "GiB" -> 1L << 30;
            case "TiB" -> 1L << 40;
            case null, default -> 1;
        };
    }

    private static VarveException refused(String name, String expected, String found) {
        return new VarveException(
                Kind.INVALID_REQUEST,
                String.format(Locale.ROOT, "%s: expected %s, found \"%s\"", name, expected, found));
    }
}
