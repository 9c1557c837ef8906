package dev.varve.platform.remote;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Line of a shard process's output. Its log lines carry their own time and level, which must not be
 * printed twice.
 *
 * @param level level in the line, else {@code INFO}
 * @param text the line without time and level
 * @param logged whether it is a log line, as opposed to output of a library or the Java runtime
 */
record OutputLine(System.Logger.Level level, String text, boolean logged) {
    /** Log line in text, such as {@code 2026-11-28T09:30:12.123+01:00 WARN text}. */
    private static final Pattern LOGGED =
            Pattern.compile(
                    "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d"
                            + " (ERROR|WARN|INFO|DEBUG|TRACE) +(.*)");

    static OutputLine parse(String line) {
        Matcher logged = LOGGED.matcher(line);
        return logged.matches()
                ? new OutputLine(level(logged.group(1)), logged.group(2), true)
                : new OutputLine(System.Logger.Level.INFO, line, false);
    }

    private static System.Logger.Level level(String word) {
        return word.equals("WARN")
                ? System.Logger.Level.WARNING
                : System.Logger.Level.valueOf(word);
    }

    /** Whether the line may explain why the process ended. */
    boolean mayExplainFailure() {
        return !logged || level.compareTo(System.Logger.Level.WARNING) >= 0;
    }
}
