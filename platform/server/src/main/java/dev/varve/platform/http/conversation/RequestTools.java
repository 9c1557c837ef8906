package dev.varve.platform.http.conversation;

import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.chat.ToolDeclaration;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The tools of a request, in two forms, and whether one must be called. Empty if the request has no
 * tools or {@code tool_choice} is {@code none}.
 *
 * @param forTemplate the tools as the client wrote them, in the same order for all choices of
 *     tools, so that prompts have the same beginning
 * @param declarations the tools that may be called, for the response parser
 * @param forced whether the response must begin with a call
 * @param single whether a response ends after its first call
 * @param custom names of the free-text tools, which the model receives as functions
 */
public record RequestTools(
        List<Object> forTemplate,
        List<ToolDeclaration> declarations,
        ToolCallRequirement forced,
        boolean single,
        Set<String> custom) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,128}");
    private static final List<String> MAY_BE_NULL = List.of("description", "parameters", "strict");

    private static final String ALLOWED = "allowed_tools";
    private static final String CHOICE = "tool_choice";
    private static final String CUSTOM = "custom";

    /** Makes tools without free-text ones: all calls are reported as function calls. */
    public RequestTools(
            List<Object> forTemplate,
            List<ToolDeclaration> declarations,
            ToolCallRequirement forced,
            boolean single) {
        this(forTemplate, declarations, forced, single, Set.of());
    }

    /** Reads the tools. */
    public static RequestTools read(RequestFields fields) {
        List<Object> shown = new ArrayList<>();
        List<ToolDeclaration> declared = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> custom = new HashSet<>();
        for (ObjectNode tool : fields.objects("tools")) {
            String where = "tools[" + declared.size() + "]";
            ObjectNode normal = normal(where, tool);
            ToolDeclaration declaration =
                    declaration(where + ".function", (ObjectNode) normal.get("function"));
            if (!names.add(declaration.name())) {
                throw ApiException.invalid(
                        where + ".function.name",
                        where + ".function.name: another tool has this name already");
            }
            if (isCustom(tool)) {
                custom.add(declaration.name());
            }
            shown.add(Json.plain(normal));
            declared.add(declaration);
        }
        Optional<Set<String>> allowed = allowed(fields, names);
        List<ToolDeclaration> callable =
                declared.stream()
                        .filter(tool -> allowed.isEmpty() || allowed.get().contains(tool.name()))
                        .toList();
        boolean single = !fields.flag("parallel_tool_calls").orElse(true);
        Optional<ToolCallRequirement> forced = choice(fields, callable);
        return forced.isEmpty()
                ? new RequestTools(List.of(), List.of(), new ToolCallRequirement.None(), single)
                : of(shown, declared.size(), callable, forced.get(), single).withCustom(custom);
    }

    /**
     * Makes tools of which some may be called; all are in the prompt, unless none may be called.
     *
     * @param shown the tools for the template
     * @param count number of declared tools
     * @param callable the tools that may be called
     * @param forced whether one of them must be called
     */
    public static RequestTools of(
            List<Object> shown,
            int count,
            List<ToolDeclaration> callable,
            ToolCallRequirement forced,
            boolean single) {
        boolean restricts = callable.size() < count && forced instanceof ToolCallRequirement.None;
        return new RequestTools(
                callable.isEmpty() ? List.of() : List.copyOf(shown),
                List.copyOf(callable),
                restricts ? new ToolCallRequirement.Restricted() : forced,
                single);
    }

    private RequestTools withCustom(Set<String> names) {
        return new RequestTools(forTemplate, declarations, forced, single, Set.copyOf(names));
    }

    private static boolean isCustom(ObjectNode tool) {
        return word(tool, "type").equals(CUSTOM);
    }

    private static String word(JsonNode node, String name) {
        return node.path(name).stringValue("");
    }

    /** Returns the names in a choice of {@code allowed_tools}; no others may be called. */
    private static Optional<Set<String>> allowed(RequestFields fields, Set<String> names) {
        Optional<JsonNode> choice =
                fields.find(CHOICE).filter(node -> word(node, "type").equals(ALLOWED));
        if (choice.isEmpty()) {
            return Optional.empty();
        }
        JsonNode tools = allowance(choice.get()).path("tools");
        if (!tools.isArray()) {
            throw RequestFields.wrongType(
                    allowanceField(choice.get()) + ".tools", "an array", tools);
        }
        Set<String> allowed = new HashSet<>();
        for (JsonNode tool : tools) {
            if (!names.contains(chosenName(tool))) {
                throw unknownChoice();
            }
            allowed.add(chosenName(tool));
        }
        return Optional.of(allowed);
    }

    /**
     * Returns the object of an {@code allowed_tools} choice: nested in chat completions, the choice
     * itself in Responses.
     */
    private static JsonNode allowance(JsonNode choice) {
        return choice.path(ALLOWED).isObject() ? choice.get(ALLOWED) : choice;
    }

    /** Returns the name of the field with that object; without any, that of chat completions. */
    private static String allowanceField(JsonNode choice) {
        boolean isOwn = choice.has("mode") || choice.has("tools");
        return choice.path(ALLOWED).isObject() || !isOwn ? CHOICE + "." + ALLOWED : CHOICE;
    }

    private static boolean isRequired(JsonNode choice) {
        return switch (word(allowance(choice), "mode")) {
            case "auto" -> false;
            case "required" -> true;
            default -> {
                String field = allowanceField(choice) + ".mode";
                throw ApiException.invalid(field, field + ": expected auto or required");
            }
        };
    }

    /** Returns whether there are no tools. */
    public boolean isEmpty() {
        return declarations.isEmpty();
    }

    /**
     * Returns a tool in the form {@code {"type": "function", "function": {…}}}; wraps a bare
     * function.
     */
    private static ObjectNode normal(String where, ObjectNode tool) {
        RequestFields fields = new RequestFields(tool);
        String type = fields.text("type").orElse("function");
        if (type.equals(CUSTOM)) {
            return custom(where, tool);
        }
        Optional<ObjectNode> function = fields.object("function");
        boolean bare = function.isEmpty() && fields.find("name").isPresent();
        if (!type.equals("function")) {
            throw ApiException.invalid(
                    where + ".type", where + ".type: expected function or custom");
        }
        if (!bare) {
            ObjectNode copy = tool.deepCopy();
            copy.set(
                    "function",
                    withoutNulls(
                            function.orElseThrow(
                                            () ->
                                                    ApiException.invalid(
                                                            where + ".function",
                                                            where + ".function: missing"))
                                    .deepCopy()));
            return copy;
        }
        ObjectNode outer = Json.object();
        outer.put("type", "function");
        outer.set("function", function(tool));
        return outer;
    }

    private static ObjectNode custom(String where, ObjectNode tool) {
        ObjectNode given = tool.path(CUSTOM) instanceof ObjectNode inner ? inner : tool;
        ObjectNode outer = Json.object().put("type", "function");
        ObjectNode function =
                CustomTool.function(where + "." + CUSTOM, given, CustomTool.LarkPolicy.REFUSE);
        outer.set("function", function.put("name", name(where + "." + CUSTOM, given)));
        return outer;
    }

    /**
     * Returns the inner object of {@code {"type": "function", "function": {…}}} for a bare
     * function.
     */
    public static ObjectNode function(ObjectNode tool) {
        ObjectNode inner = Json.object();
        tool.properties()
                .forEach(
                        entry -> {
                            if (!entry.getKey().equals("type")) {
                                inner.set(
                                        entry.getKey().equals("input_schema")
                                                ? "parameters"
                                                : entry.getKey(),
                                        entry.getValue());
                            }
                        });
        return withoutNulls(inner);
    }

    private static ObjectNode withoutNulls(ObjectNode function) {
        for (String name : MAY_BE_NULL) {
            if (function.path(name).isNull()) {
                function.remove(name);
            }
        }
        return function;
    }

    /** Returns the checked name of a tool. */
    public static String name(String where, ObjectNode function) {
        String name = function.path("name").stringValue("");
        if (!NAME.matcher(name).matches()) {
            throw ApiException.invalid(
                    where + ".name",
                    where
                            + ".name: expected 1 to 128 letters, digits, dots, underscores and"
                            + " dashes");
        }
        return name;
    }

    /** Returns a tool's declaration: its name, its parameters and whether they are strict. */
    public static ToolDeclaration declaration(String where, ObjectNode function) {
        String name = name(where, function);
        RequestFields.at(where, function).text("description");
        JsonNode parameters = function.path("parameters");
        if (parameters.isMissingNode()) {
            return new ToolDeclaration(name, Json.object(), strict(where, function));
        }
        if (!parameters.isObject()) {
            throw ApiException.invalid(
                    where + ".parameters", where + ".parameters: expected an object");
        }
        return new ToolDeclaration(name, parameters, strict(where, function));
    }

    private static boolean strict(String where, ObjectNode function) {
        JsonNode strict = function.path("strict");
        if (!strict.isMissingNode() && !strict.isBoolean()) {
            throw RequestFields.wrongType(where + ".strict", "true or false", strict);
        }
        return strict.asBoolean(false);
    }

    /** Returns which call is required; empty if no tool may be called. */
    private static Optional<ToolCallRequirement> choice(
            RequestFields fields, List<ToolDeclaration> declared) {
        Optional<JsonNode> choice = fields.find("tool_choice");
        if (choice.isEmpty()) {
            return Optional.of(new ToolCallRequirement.None());
        }
        JsonNode node = choice.get();
        String kind = node.stringValueOpt().orElseGet(() -> word(node, "type"));
        return switch (kind) {
            case "none" -> Optional.empty();
            case "auto" -> Optional.of(new ToolCallRequirement.None());
            case "required", "any" -> Optional.of(any(declared));
            case "function", "tool", CUSTOM -> {
                requireTools(declared);
                yield Optional.of(named(node, declared));
            }
            case ALLOWED ->
                    Optional.of(isRequired(node) ? any(declared) : new ToolCallRequirement.None());
            default ->
                    throw ApiException.invalid(
                            "tool_choice",
                            "tool_choice: expected none, auto, required, a function or custom"
                                    + " tool with its name, or allowed_tools");
        };
    }

    private static ToolCallRequirement any(List<ToolDeclaration> declared) {
        requireTools(declared);
        return declared.size() == 1
                ? new ToolCallRequirement.Named(declared.getFirst().name())
                : new ToolCallRequirement.Any();
    }

    private static ToolCallRequirement named(JsonNode choice, List<ToolDeclaration> declared) {
        String name = chosenName(choice);
        return declared.stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .map(tool -> new ToolCallRequirement.Named(tool.name()))
                .orElseThrow(RequestTools::unknownChoice);
    }

    /** Returns the name of a tool in a choice; empty if it has none. */
    private static String chosenName(JsonNode tool) {
        for (String kind : List.of("function", CUSTOM)) {
            if (tool.path(kind).isObject()) {
                return word(tool.get(kind), "name");
            }
        }
        return word(tool, "name");
    }

    private static ApiException unknownChoice() {
        return ApiException.invalid(CHOICE, CHOICE + ": expected the name of one of the tools");
    }

    private static void requireTools(List<ToolDeclaration> declared) {
        if (declared.isEmpty()) {
            throw ApiException.invalid("tool_choice", "tool_choice: needs tools");
        }
    }
}
