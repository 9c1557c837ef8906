package dev.varve.platform.cli;

import dev.varve.platform.log.ControlCharacters;

import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/**
 * {@code 2026-11-28T09:30:12.123+01:00 WARN message name=value}. Each line of a stack trace has the
 * time and the level too. A message of a library begins with its logger.
 *
 * <p>Characters that could begin another line or change how a terminal shows it are escaped, since
 * messages contain texts of clients.
 */
final class TextLogFormatter extends Formatter {
    private static final String OWN = "dev.varve.";

    @Override
    public String format(LogRecord line) {
        LogMessage message = LogMessage.of(line);
        String begin = String.format(Locale.ROOT, "%s %-5s ", message.time(), message.level());
        String logger =
                message.logger().isEmpty() || message.logger().startsWith(OWN)
                        ? ""
                        : message.logger() + ": ";
        StringBuilder text = new StringBuilder();
        append(text, begin, logger + message.text() + message.fieldText());
        message.stackTrace()
                .ifPresent(trace -> trace.lines().forEach(each -> append(text, begin, each)));
        return text.toString();
    }

    private static void append(StringBuilder text, String begin, String line) {
        text.append(begin);
        text.append(ControlCharacters.escape(line.replace("\t", "    ")));
        text.append('\n');
    }
}
