package dev.varve.platform.http.responses;

import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.chat.ToolDeclaration;
import dev.varve.platform.http.conversation.CustomTool;
import dev.varve.platform.http.conversation.RequestTools;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code tools}, {@code tool_choice} and {@code parallel_tool_calls}. Functions are passed on
 * unchanged, also those of a namespace; a custom tool becomes a function with one string. Tools
 * that OpenAI's servers run themselves are dropped.
 *
 * @param use tools that the model may call
 * @param names names of these tools
 * @param shown these tools as the client sent them
 */
record ResponsesTools(RequestTools use, ToolNames names, ArrayNode shown) {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final String CHOICE = "tool_choice";

    /** Reads the fields. */
    static ResponsesTools read(RequestFields fields) {
        ToolCollector reader = new ToolCollector();
        Optional<JsonNode> tools = fields.find("tools");
        tools.ifPresent(reader::readAll);
        boolean single = !fields.flag("parallel_tool_calls").orElse(true);
        ToolChoice choice = ToolChoice.read(fields.find(CHOICE), reader.names, reader.dropped);
        return new ResponsesTools(reader.use(choice, single), reader.names, reader.shown);
    }

    /** Collects tools in their order. */
    private static final class ToolCollector {
        private final ArrayNode shown = Json.MAPPER.createArrayNode();
        private final List<ToolDeclaration> declared = new ArrayList<>();
        private final List<Object> forTemplate = new ArrayList<>();
        private final Set<String> dropped = new HashSet<>();
        private ToolNames names = new ToolNames(Set.of());

        void readAll(JsonNode tools) {
            List<ObjectNode> objects = RequestFields.objects("tools", tools);
            names = new ToolNames(plainNames(objects));
            for (int i = 0; i < objects.size(); i++) {
                if (read("tools[" + i + "]", objects.get(i), Optional.empty())) {
                    shown.add(objects.get(i));
                }
            }
        }

        RequestTools use(ToolChoice choice, boolean single) {
            List<ToolDeclaration> allowed =
                    declared.stream().filter(tool -> choice.allows(tool.name())).toList();
            ToolCallRequirement forced =
                    choice.forced(allowed.stream().map(ToolDeclaration::name).toList());
            return RequestTools.of(forTemplate, declared.size(), allowed, forced, single);
        }

        /** Reads a tool; returns whether it is passed on. */
        private boolean read(String where, ObjectNode tool, Optional<String> namespace) {
            String type = type(where, tool);
            switch (type) {
                case "function" -> add(where, tool, ToolNames.Kind.FUNCTION, namespace);
                case "custom" -> add(where, tool, ToolNames.Kind.CUSTOM, namespace);
                case "namespace" -> readNamespace(where, tool);
                default -> {
                    // The type is a client's text, so it is not logged.
                    LOG.log(
                            System.Logger.Level.DEBUG,
                            where + " is skipped: expected type function, custom or namespace");
                    dropped.add(type);
                    return false;
                }
            }
            return true;
        }

        private void readNamespace(String where, ObjectNode space) {
            String name = RequestTools.name(where, space);
            List<ObjectNode> tools = RequestFields.objects(where + ".tools", space.path("tools"));
            for (int i = 0; i < tools.size(); i++) {
                String inner = where + ".tools[" + i + "]";
                if (!type(inner, tools.get(i)).equals("namespace")) {
                    read(inner, tools.get(i), Optional.of(name));
                }
            }
        }

        private void add(
                String where, ObjectNode tool, ToolNames.Kind kind, Optional<String> namespace) {
            String given = RequestTools.name(where, tool);
            ObjectNode function =
                    kind == ToolNames.Kind.CUSTOM
                            ? CustomTool.function(where, tool, CustomTool.LarkPolicy.DESCRIBE)
                            : RequestTools.function(tool);
            String name =
                    names.add(new ToolNames.Tool(kind, namespace, given))
                            .orElseThrow(
                                    () ->
                                            ApiException.invalid(
                                                    where + ".name",
                                                    where
                                                            + ".name: another tool has this name"
                                                            + " already"));
            function.put("name", name);
            declared.add(RequestTools.declaration(where, function));
            ObjectNode outer = Json.object().put("type", "function");
            outer.set("function", function);
            forTemplate.add(Json.plain(outer));
        }

        private static Set<String> plainNames(List<ObjectNode> tools) {
            Set<String> names = new HashSet<>();
            for (ObjectNode tool : tools) {
                if (tool.path("name").isString()
                        && !tool.path("type").asString("").equals("namespace")) {
                    names.add(tool.get("name").stringValue());
                }
            }
            return names;
        }

        private static String type(String where, ObjectNode tool) {
            JsonNode type = tool.path("type");
            if (!type.isString()) {
                throw RequestFields.wrongType(where + ".type", "a string", type);
            }
            return type.stringValue();
        }
    }
}
