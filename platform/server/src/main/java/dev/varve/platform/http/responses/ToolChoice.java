package dev.varve.platform.http.responses;

import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code tool_choice}: which tools may be called, and whether one must be.
 *
 * @param only names of the tools that may be called; empty for all
 * @param required whether one of them must be called
 * @param named name of the tool that must be called
 */
record ToolChoice(Optional<Set<String>> only, boolean required, Optional<String> named) {
    private static final String FIELD = "tool_choice";
    private static final ToolChoice AUTO =
            new ToolChoice(Optional.empty(), false, Optional.empty());

    /**
     * Reads the field.
     *
     * @param names names of all tools that are passed on
     * @param dropped types of the dropped tools, calls of which are never required
     */
    static ToolChoice read(Optional<JsonNode> choice, ToolNames names, Set<String> dropped) {
        if (choice.isEmpty()) {
            return AUTO;
        }
        if (choice.get() instanceof ObjectNode object) {
            return dropped.contains(word(object, "type")) ? AUTO : read(object, names);
        }
        return switch (choice.get().stringValue("")) {
            case "none" -> new ToolChoice(Optional.of(Set.of()), false, Optional.empty());
            case "auto" -> AUTO;
            case "required" ->
                    dropped.isEmpty() || names.any()
                            ? new ToolChoice(Optional.empty(), true, Optional.empty())
                            : AUTO;
            default -> throw invalid();
        };
    }

    private static ToolChoice read(ObjectNode choice, ToolNames names) {
        return switch (word(choice, "type")) {
            case "function", "custom" ->
                    new ToolChoice(Optional.empty(), true, Optional.of(name(choice, names)));
            case "allowed_tools" ->
                    new ToolChoice(
                            Optional.of(allowed(choice.path("tools"), names)),
                            isRequired(word(choice, "mode")),
                            Optional.empty());
            default -> throw invalid();
        };
    }

    private static boolean isRequired(String mode) {
        return switch (mode) {
            case "auto" -> false;
            case "required" -> true;
            default ->
                    throw ApiException.invalid(
                            FIELD + ".mode", FIELD + ".mode: expected auto or required");
        };
    }

    /**
     * Returns the names of the allowed tools; entries that are not functions are ignored, since
     * such tools are dropped.
     */
    private static Set<String> allowed(JsonNode tools, ToolNames names) {
        if (!tools.isArray()) {
            throw RequestFields.wrongType(FIELD + ".tools", "an array", tools);
        }
        Set<String> allowed = new HashSet<>();
        for (JsonNode tool : tools) {
            if (!(tool instanceof ObjectNode object)) {
                throw RequestFields.wrongType(FIELD + ".tools", "an array of objects", tool);
            }
            if (Set.of("function", "custom").contains(word(object, "type"))) {
                allowed.add(name(object, names));
            }
        }
        return allowed;
    }

    private static String name(ObjectNode tool, ToolNames names) {
        Optional<String> namespace = tool.path("namespace").stringValueOpt();
        String name = names.model(namespace, word(tool, "name"));
        if (!names.contains(name)) {
            throw ApiException.invalid(FIELD, FIELD + ": expected the name of one of the tools");
        }
        return name;
    }

    private static String word(ObjectNode object, String name) {
        return object.path(name).stringValue("");
    }

    private static ApiException invalid() {
        return ApiException.invalid(
                FIELD,
                FIELD
                        + ": expected none, auto, required, a function or custom tool with its"
                        + " name, or allowed_tools");
    }

    /** Returns whether a tool may be called. */
    boolean allows(String name) {
        return only.isEmpty() || only.get().contains(name);
    }

    /**
     * Returns the required call.
     *
     * @param offered tools that may be called
     */
    ToolCallRequirement forced(List<String> offered) {
        if (!required) {
            return new ToolCallRequirement.None();
        }
        if (named.isPresent()) {
            return new ToolCallRequirement.Named(named.get());
        }
        if (offered.isEmpty()) {
            throw ApiException.invalid(FIELD, FIELD + ": needs tools");
        }
        return offered.size() == 1
                ? new ToolCallRequirement.Named(offered.getFirst())
                : new ToolCallRequirement.Any();
    }
}
