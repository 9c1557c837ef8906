package dev.varve.platform.cli;

import dev.varve.platform.log.LogFields;
import dev.varve.platform.log.LogValue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;

/**
 * A message of the log, with settings shown as flags.
 *
 * <p>Numbers have the same form in every locale: the default formatting of messages would group
 * digits and use digits of the user's language.
 *
 * @param time ISO 8601, to the millisecond, with the offset of the zone
 * @param level {@code ERROR}, {@code WARN}, {@code INFO}, {@code DEBUG} or {@code TRACE}
 * @param logger name of the logger
 * @param text the message without its fields
 * @param fields named values, in the order of the message
 * @param fieldText the fields in text that the message does not contain already
 * @param stackTrace stack trace of an exception
 */
record LogMessage(
        String time,
        String level,
        String logger,
        String text,
        Map<String, Object> fields,
        String fieldText,
        Optional<String> stackTrace) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSxxx", Locale.ROOT)
                    .withZone(ZoneId.systemDefault());

    private static final Formatter PATTERN =
            new Formatter() {
                @Override
                public String format(LogRecord line) {
                    return formatMessage(line);
                }
            };

    static LogMessage of(LogRecord line) {
        Object[] parameters = Optional.ofNullable(line.getParameters()).orElse(new Object[0]);
        return new LogMessage(
                TIME.format(line.getInstant()),
                word(line.getLevel()),
                Optional.ofNullable(line.getLoggerName()).orElse(""),
                text(line, parameters),
                fields(parameters),
                Stream.of(parameters)
                        .filter(LogFields.class::isInstance)
                        .map(each -> FlagNames.FLAGS.render(each.toString()))
                        .reduce("", String::concat),
                Optional.ofNullable(line.getThrown()).map(LogMessage::stackTrace));
    }

    private static String text(LogRecord line, Object[] parameters) {
        LogRecord plain =
                new LogRecord(
                        line.getLevel(), Optional.ofNullable(line.getMessage()).orElse("null"));
        plain.setParameters(
                Arrays.stream(parameters)
                        .map(each -> each instanceof LogFields ? "" : String.valueOf(each))
                        .toArray());
        return FlagNames.FLAGS.render(PATTERN.format(plain));
    }

    private static Map<String, Object> fields(Object[] parameters) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Object each : parameters) {
            switch (each) {
                case LogFields values -> fields.putAll(values.values());
                case LogValue(String name, Object value) -> fields.put(name, value);
                case null, default -> {}
            }
        }
        fields.replaceAll(
                (name, value) ->
                        value instanceof String text ? FlagNames.FLAGS.render(text) : value);
        return fields;
    }

    private static String word(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        if (value >= Level.WARNING.intValue()) {
            return "WARN";
        }
        if (value >= Level.INFO.intValue()) {
            return "INFO";
        }
        return value >= Level.FINE.intValue() ? "DEBUG" : "TRACE";
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return FlagNames.FLAGS.render(trace.toString());
    }
}
