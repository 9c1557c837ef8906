package dev.varve.platform.http;

import dev.varve.platform.http.json.Json;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.ObjectNode;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** The name of a model in a request. */
final class RequestedModel {
    private static final String FIELD = "model";

    private RequestedModel() {}

    /**
     * The name in a body that is not parsed yet, by one pass that keeps nothing; of several the
     * last one counts, as it does in the body. Empty where there is none, and where the body is
     * wrong, which is told when it is parsed.
     */
    static Optional<String> in(byte[] body) {
        Optional<String> name = Optional.empty();
        try (JsonParser parser = Json.MAPPER.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return name;
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean wanted = parser.currentName().equals(FIELD);
                JsonToken value = parser.nextToken();
                if (wanted) {
                    name =
                            value == JsonToken.VALUE_STRING
                                    ? Optional.of(parser.getString())
                                    : Optional.empty();
                }
                parser.skipChildren();
            }
            return name;
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /** The name in a body; empty where there is none, and where it is no text. */
    static Optional<String> in(ObjectNode body) {
        return Optional.ofNullable(body.get(FIELD))
                .filter(value -> value.isString())
                .map(value -> value.stringValue());
    }

    /** The name in a query, {@code ?model=ID}. */
    static Optional<String> inQuery(HttpServletRequest request) {
        String query = Optional.ofNullable(request.getQueryString()).orElse("");
        String prefix = FIELD + "=";
        try {
            return Arrays.stream(query.split("&"))
                    .filter(part -> part.startsWith(prefix))
                    .map(part -> part.substring(prefix.length()))
                    .map(value -> URLDecoder.decode(value, StandardCharsets.UTF_8))
                    .findFirst();
        } catch (IllegalArgumentException e) {
            // A broken escape names nothing.
            return Optional.of("");
        }
    }
}
