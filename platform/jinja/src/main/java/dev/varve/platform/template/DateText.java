package dev.varve.platform.template;

import java.time.Clock;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.Locale;

/** Dates in the directives of C's {@code strftime}, in English. */
final class DateText {
    private DateText() {}

    static String format(String format, Clock clock) {
        ZonedDateTime now = ZonedDateTime.now(clock);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%' || i + 1 == format.length()) {
                text.append(c);
                continue;
            }
            boolean bare = format.charAt(i + 1) == '-' && i + 2 < format.length();
            i += bare ? 2 : 1;
            String part = directive(format.charAt(i), now, clock);
            text.append(bare ? part.replaceFirst("^[0 ]+(?=.)", "") : part);
        }
        return text.toString();
    }

    private static String directive(char letter, ZonedDateTime now, Clock clock) {
        return switch (letter) {
            case 'Y' -> pattern(now, "uuuu");
            case 'y' -> pattern(now, "uu");
            case 'm' -> pattern(now, "MM");
            case 'd' -> pattern(now, "dd");
            case 'e' -> String.format(Locale.ROOT, "%2d", now.getDayOfMonth());
            case 'H' -> pattern(now, "HH");
            case 'I' -> pattern(now, "hh");
            case 'M' -> pattern(now, "mm");
            case 'S' -> pattern(now, "ss");
            case 'f' -> pattern(now, "SSSSSS");
            case 'p' -> now.getHour() < 12 ? "AM" : "PM";
            case 'B' -> now.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'b', 'h' ->
                    now.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH).substring(0, 3);
            case 'A' -> now.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'a' ->
                    now.getDayOfWeek()
                            .getDisplayName(TextStyle.SHORT, Locale.ENGLISH)
                            .substring(0, 3);
            case 'j' -> pattern(now, "DDD");
            case 'u' -> String.valueOf(now.getDayOfWeek().getValue());
            case 'w' -> String.valueOf(now.getDayOfWeek().getValue() % 7);
            case 'V' ->
                    String.format(Locale.ROOT, "%02d", now.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
            case 'G' -> String.valueOf(now.get(IsoFields.WEEK_BASED_YEAR));
            case 's' -> String.valueOf(now.getLong(ChronoField.INSTANT_SECONDS));
            // A local time in Python has no zone, so these two are empty.
            case 'z', 'Z' -> "";
            case 'F' -> format("%Y-%m-%d", clock);
            case 'T', 'X' -> format("%H:%M:%S", clock);
            case 'D', 'x' -> format("%m/%d/%y", clock);
            case 'R' -> format("%H:%M", clock);
            case 'r' -> format("%I:%M:%S %p", clock);
            case 'c' -> format("%a %b %e %H:%M:%S %Y", clock);
            case 'n' -> "\n";
            case 't' -> "\t";
            case '%' -> "%";
            default -> "%" + letter;
        };
    }

    private static String pattern(ZonedDateTime now, String pattern) {
        DateTimeFormatter formatter =
                new DateTimeFormatterBuilder().appendPattern(pattern).toFormatter(Locale.ENGLISH);
        return formatter.format(now);
    }
}
