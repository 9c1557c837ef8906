package dev.varve.api.model;

/**
 * Takes tool calls from a {@link ToolCallParser}, which hands them on as early as it can.
 *
 * <p>Implemented by the platform alone. Grows: later versions may add to it, and what is there
 * stays.
 */
public interface ToolCallOutput {
    /**
     * Begins a call, which ends the one before. From now on this is a call and no content.
     *
     * @param tool name of a declared tool
     */
    void begin(String tool);

    /**
     * Appends to the arguments of the call that was begun last. Put together they are the text of
     * one JSON object; {@link JsonStrings} writes the strings in it.
     */
    void append(CharSequence json);
}
