package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A tool call of an earlier response.
 *
 * @param id id by which the result refers to the call; empty if it has none
 * @param name name of the tool
 * @param forTemplate the call as the client sent it, with arguments as an object, since templates
 *     iterate over them, or as a string if they are not an object
 */
public record HistoryToolCall(Optional<String> id, String name, Object forTemplate) {
    /** JSON texts that mean no arguments. */
    private static final Set<String> NOTHING = Set.of("null", "\"\"", "[]");

    /** Reads the calls of an assistant's message; {@code where} is the path of the field. */
    public static List<HistoryToolCall> read(String where, RequestFields message) {
        List<HistoryToolCall> read = new ArrayList<>();
        Optional<JsonNode> calls = message.find("tool_calls");
        if (calls.isPresent() && !calls.get().isArray()) {
            throw RequestFields.wrongType(where, "an array", calls.get());
        }
        calls.ifPresent(
                array -> {
                    for (JsonNode call : array) {
                        read.add(call(where + "[" + read.size() + "]", call));
                    }
                });
        return read;
    }

    private static HistoryToolCall call(String where, JsonNode call) {
        if (!(call instanceof ObjectNode object)) {
            throw ApiException.invalid(where, where + ": expected an object");
        }
        if (object.path("custom") instanceof ObjectNode custom) {
            return custom(where + ".custom", object, custom);
        }
        if (!(object.path("function") instanceof ObjectNode function)
                || !function.path("name").isString()) {
            throw ApiException.invalid(
                    where + ".function", where + ".function: expected an object with a name");
        }
        ObjectNode copy = object.deepCopy();
        ((ObjectNode) copy.get("function")).set("arguments", arguments(function.path("arguments")));
        return of(copy);
    }

    /** Converts the call of a free-text tool into a function call for the template. */
    private static HistoryToolCall custom(String where, ObjectNode call, ObjectNode custom) {
        RequestFields fields = RequestFields.at(where, custom);
        ObjectNode copy = Json.object();
        copy.set("id", call.path("id").isString() ? call.get("id") : Json.text(""));
        ObjectNode function = copy.put("type", "function").putObject("function");
        function.put("name", fields.require("name").asString(""));
        function.putObject("arguments").put("input", fields.text("input").orElse(""));
        return of(copy);
    }

    private static HistoryToolCall of(ObjectNode call) {
        return new HistoryToolCall(
                call.path("id").stringValueOpt().filter(id -> !id.isEmpty()),
                call.get("function").get("name").stringValue(),
                Json.plain(call));
    }

    /**
     * Returns the arguments of a call: an object, parsed from a string if necessary. A truncated
     * JSON text is closed, since a response may end inside a call. Other values are kept as
     * strings, since clients resend malformed calls with each later request; missing arguments
     * become an empty object.
     */
    public static JsonNode arguments(JsonNode arguments) {
        if (arguments.isObject()) {
            return arguments;
        }
        if (arguments.isMissingNode() || arguments.isNull() || isEmptyArray(arguments)) {
            return Json.object();
        }
        return arguments.isString()
                ? ofText(arguments.stringValue())
                : Json.text(Json.write(arguments));
    }

    private static JsonNode ofText(String text) {
        return ToolArgumentsParser.read(text)
                .map(JsonNode.class::cast)
                .orElseGet(() -> NOTHING.contains(text.strip()) ? Json.object() : Json.text(text));
    }

    private static boolean isEmptyArray(JsonNode node) {
        return node.isArray() && node.isEmpty();
    }
}
