package dev.varve.platform.grammar.pattern;

import java.util.Locale;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Patterns of RFC 3339: dates of the proleptic calendar, times with an offset, and durations.
 *
 * <p>Narrower than the RFC: no year 0, which many libraries lack, at most nine digits of a second,
 * and second 60 only where it is 23:59:60 in UTC, in a date only at the end of June or December.
 */
final class DateFormats {
    static final String DATE =
            """
            (?!0000)(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])\
            |(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)\
            |02-(?:0[1-9]|1\\d|2[0-8]))\
            |(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)\
            """;

    private static final String FRACTION = "(?:\\.\\d{1,9})?";
    private static final String OFFSET = "(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
    private static final String PLAIN_TIME =
            "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d" + FRACTION + OFFSET;
    private static final String NOT_EAST = "(?:23:59:60" + FRACTION + "[Zz]|" + leap('-') + ")";
    private static final String EAST = leap('+');

    static final String TIME = "(?:" + PLAIN_TIME + "|" + NOT_EAST + "|" + EAST + ")";

    static final String DATE_TIME =
            "(?:"
                    + DATE
                    + "[Tt]"
                    + PLAIN_TIME
                    + "|(?!0000)\\d{4}-(?:(?:06-30|12-31)[Tt](?:"
                    + NOT_EAST
                    + "|23:59:60"
                    + FRACTION
                    + "\\+00:00)|(?:07-01|01-01)[Tt](?!23:59)"
                    + EAST
                    + "))";

    static final String DURATION =
            """
            P(?:(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)(?:T<time>)?|T<time>|\\d+W)\
            """
                    .replace("<time>", "(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)");

    private DateFormats() {}

    /**
     * Times of second 60 at which it is 23:59 in UTC. Minutes and hours depend on each other only
     * by the carry, so each has a condition of its own, over all minutes and all hours.
     */
    private static String leap(char sign) {
        int direction = sign == '+' ? 1 : -1;
        String minutes =
                pairs(60, "\\d\\d:%02d:60" + FRACTION + "[+-]\\d\\d:%02d", m -> 59 + direction * m);
        String sameHour =
                pairs(24, "%02d:\\d\\d:60" + FRACTION + "[+-]%02d:<m>", h -> 23 + direction * h);
        String nextHour =
                pairs(24, "%02d:\\d\\d:60" + FRACTION + "[+-]%02d:<m>", h -> 24 + direction * h);
        String hours =
                direction < 0
                        ? sameHour.replace("<m>", "\\d\\d")
                        : sameHour.replace("<m>", "00")
                                + "|"
                                + nextHour.replace("<m>", "(?!00)\\d\\d");
        return "(?=(?:"
                + minutes
                + ")$)(?=(?:"
                + hours
                + ")$)\\d\\d:\\d\\d:60"
                + FRACTION
                + "["
                + sign
                + "]\\d\\d:\\d\\d";
    }

    private static String pairs(int modulus, String format, IntUnaryOperator local) {
        return IntStream.range(0, modulus)
                .mapToObj(
                        offset ->
                                String.format(
                                        Locale.ROOT,
                                        format,
                                        Math.floorMod(local.applyAsInt(offset), modulus),
                                        offset))
                .collect(Collectors.joining("|"));
    }
}
