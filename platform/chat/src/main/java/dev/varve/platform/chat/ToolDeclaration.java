package dev.varve.platform.chat;

import dev.varve.api.model.CallableTool;

import tools.jackson.databind.JsonNode;

import java.util.Objects;

/**
 * Tool that the model may call.
 *
 * @param name name by which it is called, not empty
 * @param parameters JSON schema of the arguments; an empty object if it is unknown
 * @param strict whether the arguments must be valid; the request is rejected if that cannot be
 *     enforced
 */
public record ToolDeclaration(String name, JsonNode parameters, boolean strict)
        implements CallableTool {
    /** Checks that the tool has a name. */
    public ToolDeclaration {
        Objects.requireNonNull(parameters);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a tool needs a name");
        }
    }

    /** Creates a tool whose arguments are not enforced. */
    public ToolDeclaration(String name, JsonNode parameters) {
        this(name, parameters, false);
    }

    @Override
    public String schema() {
        return parameters.toString();
    }

    @Override
    public String argument(String key, String text) {
        return ArgumentSchema.of(parameters).property(key).coerce(text);
    }
}
