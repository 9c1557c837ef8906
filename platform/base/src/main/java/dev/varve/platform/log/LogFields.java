package dev.varve.platform.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/**
 * Named values of a log message, in the order in which they were added. As a parameter of a message
 * they appear in text as {@code name=value} pairs; a structured format writes each as a field of
 * its own. Not thread-safe; unchanged once logged.
 */
public final class LogFields {
    /** Values that need no quotes: visible ASCII characters other than quote, backslash and =. */
    private static final Pattern PLAIN = Pattern.compile("[!-~&&[^\"\\\\=]]+");

    private final SequencedMap<String, Object> values = new LinkedHashMap<>();

    /** Makes no values. */
    public LogFields() {}

    /** Adds a text, unless it is empty. */
    public LogFields put(String name, String value) {
        if (!value.isEmpty()) {
            values.put(name, value);
        }
        return this;
    }

    /** Adds a count. */
    public LogFields put(String name, long value) {
        values.put(name, value);
        return this;
    }

    /** Adds a duration in milliseconds, rounded to tenths. */
    public LogFields putMillis(String name, long nanos) {
        values.put(name, Math.round(nanos / 100_000.0) / 10.0);
        return this;
    }

    /** Returns the values by name: {@code String}, {@code Long} or {@code Double}. */
    public Map<String, Object> values() {
        return Collections.unmodifiableMap(values);
    }

    /** Returns the pairs, each after a space. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        values.forEach(
                (name, value) -> text.append(' ').append(name).append('=').append(quoted(value)));
        return text.toString();
    }

    private static String quoted(Object value) {
        return Optional.of(value.toString())
                .filter(text -> PLAIN.matcher(text).matches())
                .orElseGet(
                        () ->
                                '"'
                                        + value.toString()
                                                .replace("\\", "\\\\")
                                                .replace("\"", "\\\"")
                                        + '"');
    }
}
