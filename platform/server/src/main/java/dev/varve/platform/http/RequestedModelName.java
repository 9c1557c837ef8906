package dev.varve.platform.http;

import dev.varve.platform.http.json.JsonFieldScanner;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

/** Reads the name of a model from a request. */
final class RequestedModelName {
    private static final String FIELD = "model";

    private RequestedModelName() {}

    /** Returns the name in a body that is not parsed yet; empty if it has none. */
    static Optional<String> in(byte[] body) {
        return JsonFieldScanner.field(
                body,
                FIELD,
                value ->
                        value.currentToken() == JsonToken.VALUE_STRING
                                ? Optional.of(value.getString())
                                : Optional.empty());
    }

    /** Returns the name in a body; empty if it has none or if it is not a string. */
    static Optional<String> in(ObjectNode body) {
        return body.path(FIELD).stringValueOpt();
    }

    /** Returns the name in a query, {@code ?model=ID}. */
    static Optional<String> inQuery(HttpServletRequest request) {
        return QueryParameter.of(request, FIELD);
    }
}
