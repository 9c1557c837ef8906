package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.conversation.RequestTools;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Converts the tools of a request to the form of chat completions, so that prompts are the same.
 * Tools built into Anthropic's servers or models have no schema; they are dropped.
 */
final class MessagesTools {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final String TOOLS = "tools";
    private static final String CHOICE = "tool_choice";
    private static final String SCHEMA = "input_schema";

    private MessagesTools() {}

    static RequestFields read(RequestFields fields) {
        ObjectNode asked = Json.object();
        Optional<JsonNode> tools = fields.find(TOOLS);
        if (tools.isPresent() && !tools.get().isArray()) {
            throw RequestFields.wrongType(TOOLS, "an array", tools.get());
        }
        Set<String> dropped = new HashSet<>();
        tools.ifPresent(given -> asked.set(TOOLS, offered(given, dropped)));
        fields.find(CHOICE).ifPresent(given -> putChoice(asked, given, dropped));
        return new RequestFields(asked);
    }

    /**
     * Converts the tool choice; {@code dropped} has the names of the dropped tools, calls of which
     * are never required.
     */
    private static void putChoice(ObjectNode asked, JsonNode given, Set<String> dropped) {
        if (!(given instanceof ObjectNode choice)) {
            throw RequestFields.wrongType(CHOICE, "an object", given);
        }
        boolean cannot =
                switch (choice.path("type").asString("")) {
                    case "tool" -> dropped.contains(choice.path("name").asString(""));
                    case "any" -> !dropped.isEmpty() && asked.path(TOOLS).isEmpty();
                    default -> false;
                };
        asked.set(CHOICE, cannot ? Json.object().put("type", "auto") : choice);
        boolean single =
                RequestFields.at(CHOICE, choice).flag("disable_parallel_tool_use").orElse(false);
        asked.put("parallel_tool_calls", !single);
    }

    private static ArrayNode offered(JsonNode tools, Set<String> dropped) {
        ArrayNode offered = Json.MAPPER.createArrayNode();
        Set<String> names = new HashSet<>();
        int number = 0;
        for (JsonNode tool : tools) {
            String where = TOOLS + "[" + number++ + "]";
            if (!(tool instanceof ObjectNode object)) {
                throw RequestFields.wrongType(where, "an object", tool);
            }
            String type = object.path("type").asString("custom");
            if (type.equals("custom") || object.path(SCHEMA).isObject()) {
                check(where, object);
                if (!names.add(object.get("name").stringValue())) {
                    throw ApiException.invalid(
                            where + ".name", where + ".name: another tool has this name already");
                }
                offered.add(tool(object));
            } else {
                dropped.add(object.path("name").asString(type));
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "the server ignores {0}: expected type custom, found another type",
                        where);
            }
        }
        return offered;
    }

    /** Checks a tool before its fields are renamed, so that errors name the client's fields. */
    private static void check(String where, ObjectNode tool) {
        RequestTools.name(where, tool);
        RequestFields fields = RequestFields.at(where, tool);
        fields.text("description");
        fields.object(SCHEMA);
        fields.flag("strict");
    }

    private static ObjectNode tool(ObjectNode given) {
        ObjectNode tool = Json.object().put("type", "function");
        ObjectNode function = tool.putObject("function");
        copy(given, "name", function, "name");
        copy(given, "description", function, "description");
        copy(given, SCHEMA, function, "parameters");
        copy(given, "strict", function, "strict");
        return tool;
    }

    private static void copy(ObjectNode from, String name, ObjectNode to, String newName) {
        JsonNode value = from.path(name);
        if (!value.isMissingNode() && !value.isNull()) {
            to.set(newName, value);
        }
    }
}
