package dev.varve.embedded;

import java.util.Objects;

/**
 * A call of a tool by the model.
 *
 * @param id identifies the call, for its result
 * @param name name of the tool
 * @param arguments JSON text of the arguments
 * @since 0.1.0
 */
public record ToolCall(String id, String name, String arguments) {
    /** Checks that nothing is missing. */
    public ToolCall {
        Objects.requireNonNull(id);
        Objects.requireNonNull(name);
        Objects.requireNonNull(arguments);
    }

    /**
     * Returns the arguments as a record.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if they do not fit the record
     */
    public <T extends Record> T arguments(Class<T> type) {
        return RecordSchema.read(type, arguments);
    }
}
