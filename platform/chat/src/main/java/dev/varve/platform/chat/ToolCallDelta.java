package dev.varve.platform.chat;

import java.util.Optional;

/**
 * Part of a tool call.
 *
 * @param index number of the call in its response, from 0
 * @param name name of the tool; with the first delta of a call only
 * @param arguments next part of the JSON text of the arguments; may be empty
 */
public record ToolCallDelta(int index, Optional<String> name, String arguments) {
    /** Returns a copy whose index is increased by a number of calls. */
    ToolCallDelta after(int calls) {
        return calls == 0 ? this : new ToolCallDelta(index + calls, name, arguments);
    }
}
