package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

import java.util.Map;

/** A tool that accepts free text. The model receives it as a function with one argument. */
public final class CustomTool {
    private static final String INPUT = "input";
    private static final String SYNTAX = "syntax";
    private static final String DEFINITION = "definition";
    private static final int MAX_PATTERN = 1 << 18;

    private CustomTool() {}

    /** Treatment of grammars in the notation of Lark, which cannot be enforced. */
    public enum LarkPolicy {
        /** Such a tool is a 400. */
        REFUSE,
        /** The grammar is shown to the model: agents depend on such tools. */
        DESCRIBE
    }

    /**
     * Returns the function, with an empty name. A regular expression for the text makes it strict.
     *
     * @throws ApiException a 400 that names the field if the format is wrong or not supported
     */
    public static ObjectNode function(String where, ObjectNode tool, LarkPolicy lark) {
        RequestFields fields = RequestFields.at(where, tool);
        ObjectNode function = Json.object().put("name", "");
        fields.text("description").ifPresent(text -> function.put("description", text));
        ObjectNode parameters = function.putObject("parameters").put("type", "object");
        ObjectNode input = parameters.putObject("properties").putObject(INPUT);
        input.put("type", "string");
        parameters.putArray("required").add(INPUT);
        fields.nested("format")
                .filter(format -> isGrammar(where, format))
                // In chat completions the grammar is a nested object.
                .map(format -> format.nested("grammar").orElse(format))
                .ifPresent(
                        grammar -> {
                            if (isRegex(grammar, lark)) {
                                input.put("pattern", whole(grammar));
                                parameters.put("additionalProperties", false);
                                function.put("strict", true);
                            } else {
                                input.put("description", description(grammar));
                            }
                        });
        return function;
    }

    private static boolean isGrammar(String where, RequestFields format) {
        return switch (format.text("type").orElse("")) {
            case "text" -> false;
            case "grammar" -> true;
            default ->
                    throw ApiException.invalid(
                            where + ".format.type",
                            where + ".format.type: expected text or grammar");
        };
    }

    private static boolean isRegex(RequestFields grammar, LarkPolicy lark) {
        String field = grammar.place(SYNTAX);
        return switch (grammar.text(SYNTAX).orElse("lark")) {
            case "regex" -> true;
            case "lark" -> {
                if (lark == LarkPolicy.REFUSE) {
                    throw ApiException.invalid(
                            field,
                            field
                                    + ": lark is not supported by this server; use regex, or a"
                                    + " format of type text with the grammar in the description");
                }
                yield false;
            }
            default -> throw ApiException.invalid(field, field + ": expected regex");
        };
    }

    /** Returns a pattern of a schema, which may match a part of a text, for the whole text. */
    private static String whole(RequestFields grammar) {
        String field = grammar.place(DEFINITION);
        String regex =
                grammar.text(DEFINITION)
                        .filter(text -> !text.isEmpty())
                        .orElseThrow(() -> ApiException.invalid(field, field + ": missing"));
        if (regex.length() > MAX_PATTERN) {
            throw ApiException.invalid(
                    field, field + ": expected at most " + MAX_PATTERN + " characters");
        }
        return "^(?:" + regex + ")$";
    }

    private static String description(RequestFields grammar) {
        return "A text of this grammar (lark):\n" + grammar.text(DEFINITION).orElse("");
    }

    /** Returns the arguments of a call with this text. */
    public static Map<String, Object> arguments(String input) {
        return Map.of(INPUT, input);
    }

    /** Returns the text of a call; the unchanged arguments if they do not have this form. */
    public static String input(String arguments) {
        try {
            return Json.read(arguments).path(INPUT).stringValue(arguments);
        } catch (JacksonException e) {
            // Truncated or invalid arguments: returned unchanged.
            return arguments;
        }
    }
}
