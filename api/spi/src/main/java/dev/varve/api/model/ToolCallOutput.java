package dev.varve.api.model;

/**
 * Receives tool calls from a {@link ToolCallParser}, which emits them as early as it can.
 *
 * <p>Implemented by the platform alone. Grows: later versions may add to it, and existing parts
 * stay.
 */
public interface ToolCallOutput {
    /**
     * Begins a call, which ends the previous call. From here on the text is a call and not content.
     *
     * @param tool name of a declared tool
     */
    void begin(String tool);

    /**
     * Appends to the arguments of the current call. The joined pieces are the text of one JSON
     * object; {@link JsonStrings} writes the strings in it.
     */
    void append(CharSequence json);
}
