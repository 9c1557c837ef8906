package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.json.Json;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Arguments of a call as an object. */
final class InputObject {
    private InputObject() {}

    /**
     * An answer that ended for its length may break off inside a call; what was cut off is told by
     * its stop reason, and the text of the arguments is no object then.
     */
    static ObjectNode of(String arguments) {
        try {
            JsonNode parsed = arguments.isBlank() ? Json.object() : Json.MAPPER.readTree(arguments);
            return parsed instanceof ObjectNode object ? object : Json.object();
        } catch (JacksonException e) {
            return Json.object();
        }
    }
}
