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
 * A tool call of an earlier answer.
 *
 * @param id id that its result names; empty where it has none
 * @param name name of the tool
 * @param forTemplate the call as the client sent it, with arguments as an object, since templates
 *     iterate over them, or as a text where they are no object
 */
public record HistoryToolCall(Optional<String> id, String name, Object forTemplate) {
    /** Texts of JSON that stand for no arguments. */
    private static final Set<String> NOTHING = Set.of("null", "\"\"", "[]");

    /** The calls of an assistant's message, whose place is {@code where}. */
    public static List<HistoryToolCall> read(String where, RequestFields message) {
        List<HistoryToolCall> read = new ArrayList<>();
        Optional<JsonNode> calls = message.find("tool_calls");
        if (calls.isPresent() && !calls.get().isArray()) {
            throw RequestFields.wrong(where, "an array", calls.get());
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

    /** The call of a tool that takes a text of any form: to the template, one of a function. */
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
                Optional.of(call.path("id"))
                        .filter(JsonNode::isString)
                        .map(JsonNode::stringValue)
                        .filter(id -> !id.isEmpty()),
                call.get("function").get("name").stringValue(),
                Json.plain(call));
    }

    /**
     * The arguments of a call: an object, the text of one, or the beginning of such a text, which
     * an answer has that was cut in its call. Anything else is kept as a text, since a client sends
     * a call that its model wrote wrong again with each later request; nothing is an empty object.
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
        return ArgumentsText.read(text)
                .map(JsonNode.class::cast)
                .orElseGet(() -> NOTHING.contains(text.strip()) ? Json.object() : Json.text(text));
    }

    private static boolean isEmptyArray(JsonNode node) {
        return node.isArray() && node.isEmpty();
    }
}
