package dev.varve.platform.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * {@code 12:34:56.789 warning HttpServer: message}; a stack trace follows on lines of its own.
 *
 * <p>Numbers have the same form in every locale: the default formatting of messages would group
 * digits and use digits of the user's language.
 */
final class LogLine extends Formatter {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT)
                    .withZone(ZoneId.systemDefault());

    @Override
    public String format(LogRecord record) {
        if (record.getParameters() != null) {
            record.setParameters(
                    Arrays.stream(record.getParameters()).map(String::valueOf).toArray());
        }
        StringBuilder line =
                new StringBuilder()
                        .append(TIME.format(record.getInstant()))
                        .append(' ')
                        .append(name(record.getLevel()))
                        .append(' ')
                        .append(shortName(record.getLoggerName()))
                        .append(": ")
                        .append(FlagNames.FLAGS.render(formatMessage(record)))
                        .append('\n');
        if (record.getThrown() != null) {
            StringWriter trace = new StringWriter();
            record.getThrown().printStackTrace(new PrintWriter(trace));
            line.append(FlagNames.FLAGS.render(trace.toString()));
        }
        return line.toString();
    }

    private static String name(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return "error";
        }
        if (value >= Level.WARNING.intValue()) {
            return "warning";
        }
        return value >= Level.INFO.intValue() ? "info" : "debug";
    }

    private static String shortName(String logger) {
        return logger == null ? "-" : logger.substring(logger.lastIndexOf('.') + 1);
    }
}
