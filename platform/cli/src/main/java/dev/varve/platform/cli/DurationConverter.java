package dev.varve.platform.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a duration: a whole number and its unit. */
final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

    /** Returns a duration of whole milliseconds as the user writes it, such as {@code 30s}. */
    static String format(Duration time) {
        long millis = time.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds % 3600 == 0) {
            return seconds / 3600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    @Override
    public Duration convert(String text) {
        Matcher time = TIME.matcher(text);
        long count = time.matches() ? Long.parseLong(time.group(1)) : 0;
        if (count == 0) {
            throw new TypeConversionException(
                    "expected a time above 0 such as 500ms, 90s, 5m or 1h, found " + text);
        }
        return switch (time.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
    }
}
