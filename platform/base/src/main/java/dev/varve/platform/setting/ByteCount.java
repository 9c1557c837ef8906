package dev.varve.platform.setting;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats byte counts with a unit. */
public final class ByteCount {
    private static final int STEP = 1024;
    private static final List<String> UNITS = List.of("bytes", "KiB", "MiB", "GiB", "TiB");
    private static final Pattern FORM = Pattern.compile("([0-9]{1,18})([kKmMgG]?)");

    private ByteCount() {}

    /** Returns a size for people, in the largest unit that it reaches: {@code 9.4 MiB}. */
    public static String format(long bytes) {
        int unit = 0;
        double size = bytes;
        while (Math.abs(size) >= STEP && unit < UNITS.size() - 1) {
            size /= STEP;
            unit++;
        }
        return unit == 0
                ? bytes + " bytes"
                : String.format(Locale.ROOT, "%.1f %s", size, UNITS.get(unit));
    }

    /**
     * Parses a byte count such as {@code 64M}; empty if the text has another form or the count
     * overflows a {@code long}.
     */
    public static OptionalLong parse(String text) {
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
