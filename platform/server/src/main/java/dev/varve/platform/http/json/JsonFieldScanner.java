package dev.varve.platform.http.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

import java.util.Optional;
import java.util.function.Function;

/** Finds a field of a body that is not parsed yet, in one pass that keeps no other values. */
public final class JsonFieldScanner {
    private JsonFieldScanner() {}

    /**
     * Returns the value of a field; the last one counts if it is repeated, as when the body is
     * parsed. Empty if the field is absent, or if the body is malformed, which is reported when it
     * is parsed.
     *
     * @param reader reads the value at the parser's position; empty if it has the wrong type
     */
    public static <T> Optional<T> field(
            byte[] body, String name, Function<JsonParser, Optional<T>> reader) {
        Optional<T> found = Optional.empty();
        try (JsonParser parser = Json.MAPPER.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return found;
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean wanted = parser.currentName().equals(name);
                parser.nextToken();
                if (wanted) {
                    found = reader.apply(parser);
                }
                parser.skipChildren();
            }
            return found;
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
