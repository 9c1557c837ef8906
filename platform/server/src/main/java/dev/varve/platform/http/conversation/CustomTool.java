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

    private CustomTool() {}

    /**
     * Returns the function, with an empty name. A grammar of the text is only described to the
     * model, not enforced.
     */
    public static ObjectNode function(String where, ObjectNode tool) {
        RequestFields fields = RequestFields.at(where, tool);
        ObjectNode function = Json.object().put("name", "");
        fields.text("description").ifPresent(text -> function.put("description", text));
        ObjectNode parameters = function.putObject("parameters").put("type", "object");
        ObjectNode input = parameters.putObject("properties").putObject(INPUT);
        input.put("type", "string");
        fields.nested("format").ifPresent(format -> describe(where, format, input));
        parameters.putArray("required").add(INPUT);
        return function;
    }

    private static void describe(String where, RequestFields format, ObjectNode input) {
        switch (format.text("type").orElse("")) {
            case "text" -> {}
            case "grammar" -> {
                // In chat completions the grammar is a nested object.
                RequestFields grammar = format.nested("grammar").orElse(format);
                input.put(
                        "description",
                        "A text of this grammar ("
                                + grammar.text("syntax").orElse("lark")
                                + "):\n"
                                + grammar.text("definition").orElse(""));
            }
            default ->
                    throw ApiException.invalid(
                            where + ".format.type",
                            where + ".format.type: expected text or grammar");
        }
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
