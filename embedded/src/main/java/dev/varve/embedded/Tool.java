package dev.varve.embedded;

import java.util.Objects;

/**
 * A tool that the model may call.
 *
 * @param name name by which the model calls it: letters, digits, dots, underscores and dashes
 * @param description what it does, for the model
 * @param parameters JSON schema of its arguments, an object
 * @param strict whether the arguments always satisfy the schema; a request with a schema that
 *     cannot be enforced then fails
 * @since 0.1.0
 */
public record Tool(String name, String description, String parameters, boolean strict) {
    /** Checks that nothing is missing. */
    public Tool {
        Objects.requireNonNull(name);
        Objects.requireNonNull(description);
        Objects.requireNonNull(parameters);
    }

    /**
     * Creates a tool whose arguments are a record: they always satisfy its schema.
     *
     * @throws IllegalArgumentException if a component of the record has no schema
     */
    public static Tool of(String name, String description, Class<? extends Record> arguments) {
        return new Tool(name, description, RecordSchema.of(arguments), true);
    }
}
