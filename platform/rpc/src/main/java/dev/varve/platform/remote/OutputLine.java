package dev.varve.platform.remote;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line that a shard process printed. Its log lines carry a time and a level of their own, which
 * are not to be shown twice.
 *
 * @param level as the line says, else {@code INFO}
 * @param text the line without time, level and logger
 * @param logged whether it is a log line, not what a library or the Java runtime printed
 */
record OutputLine(System.Logger.Level level, String text, boolean logged) {
    /** As the command line writes them: {@code 12:34:56.789 warning remote: text}. */
    private static final Pattern LOGGED =
            Pattern.compile(
                    "\\d\\d:\\d\\d:\\d\\d\\.\\d{3} (error|warning|info|debug) [^ :]+: (.*)");

    static OutputLine parse(String line) {
        Matcher logged = LOGGED.matcher(line);
        return logged.matches()
                ? new OutputLine(
                        System.Logger.Level.valueOf(logged.group(1).toUpperCase(Locale.ROOT)),
                        logged.group(2),
                        true)
                : new OutputLine(System.Logger.Level.INFO, line, false);
    }

    /** Whether the line may tell why the process ended. */
    boolean tellsOfTrouble() {
        return !logged || level.compareTo(System.Logger.Level.WARNING) >= 0;
    }
}
