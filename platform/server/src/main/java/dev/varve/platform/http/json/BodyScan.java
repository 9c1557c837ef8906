package dev.varve.platform.http.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

import java.util.Optional;
import java.util.function.Function;

/** Looks for a field of a body that is not parsed yet, by one pass that keeps nothing else. */
public final class BodyScan {
    private BodyScan() {}

    /**
     * The value of a field; of several the last one counts, as it does in the body. Empty where
     * there is none, and where the body is wrong, which is told when it is parsed.
     *
     * @param reader what the value at which a parser stands is; empty if it is of the wrong kind
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
