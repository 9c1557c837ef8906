package dev.varve.platform.remote;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Line of a shard process's output. Its log lines carry their own time and level, which must not be
 * printed twice.
 *
 * @param level level in the line, else {@code INFO}
 * @param text the line without time, level and logger
 * @param logged whether it is a log line, as opposed to output of a library or the Java runtime
 */
record OutputLine(System.Logger.Level level, String text, boolean logged) {
    /** Log line format of the command line: {@code 12:34:56.789 warning remote: text}. */
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

    /** Whether the line may explain why the process ended. */
    boolean mayExplainFailure() {
        return !logged || level.compareTo(System.Logger.Level.WARNING) >= 0;
    }
}
