package dev.varve.platform.log;

/**
 * A named value inside the text of a log message. As a parameter of a message it appears there
 * without its name; a structured format also writes it as a field.
 *
 * @param name name of the field
 * @param value {@code String}, {@code Integer}, {@code Long} or {@code Double}
 */
public record LogValue(String name, Object value) {
    @Override
    public String toString() {
        return value.toString();
    }
}
