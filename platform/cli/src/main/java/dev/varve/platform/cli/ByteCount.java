package dev.varve.platform.cli;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats byte counts with a unit. */
final class ByteCount {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,18})([kKmMgG]?)");

    private ByteCount() {}

    /** Formats a byte count, such as {@code 639.4 MiB} or {@code 17.3 GiB}. */
    static String format(long bytes) {
        double mebibytes = bytes / (double) (1L << 20);
        return mebibytes < 1000
                ? String.format(Locale.ROOT, "%.1f MiB", mebibytes)
                : String.format(Locale.ROOT, "%.1f GiB", mebibytes / 1024);
    }

    /**
     * Parses a byte count such as {@code 64M}; empty if the text has another form or the count
     * overflows a {@code long}.
     */
    static OptionalLong parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return OptionalLong.empty();
        }
        int shift =
                switch (form.group(2).toUpperCase(Locale.ROOT)) {
                    case "K" -> 10;
                    case "M" -> 20;
                    case "G" -> 30;
                    default -> 0;
                };
        long number = Long.parseLong(form.group(1));
        return number <= Long.MAX_VALUE >> shift
                ? OptionalLong.of(number << shift)
                : OptionalLong.empty();
    }
}
