package dev.varve.platform.cli;

import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/**
 * One JSON object a line: {@code time}, {@code level}, {@code logger}, {@code message}, the fields
 * of the message, and {@code stack_trace} for an exception. All characters are ASCII, so that every
 * reader of lines finds the same ones.
 */
final class JsonLogFormatter extends Formatter {
    private final JsonMapper mapper =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    @Override
    public String format(LogRecord line) {
        LogMessage message = LogMessage.of(line);
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("time", message.time());
        object.put("level", message.level());
        object.put("logger", message.logger());
        object.put("message", message.text());
        message.fields().forEach(object::putIfAbsent);
        message.stackTrace().ifPresent(trace -> object.put("stack_trace", trace));
        return mapper.writeValueAsString(object) + '\n';
    }
}
