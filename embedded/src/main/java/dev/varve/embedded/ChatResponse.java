package dev.varve.embedded;

import java.util.List;
import java.util.Objects;

/**
 * A response of the model.
 *
 * @param text text of the response; empty if it only calls tools
 * @param reasoning reasoning before the text; empty if there was none
 * @param calls calls of tools, in order
 * @param finish why it ended
 * @param usage its cost
 * @since 0.1.0
 */
public record ChatResponse(
        String text, String reasoning, List<ToolCall> calls, FinishReason finish, Usage usage) {
    /** Copies the calls. */
    public ChatResponse {
        Objects.requireNonNull(text);
        Objects.requireNonNull(reasoning);
        calls = List.copyOf(calls);
        Objects.requireNonNull(finish);
        Objects.requireNonNull(usage);
    }

    /** Returns the response as a message, to continue the chat. */
    public Message message() {
        return new Message.Assistant(text, calls);
    }

    /**
     * Returns the text as a record.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the text does not fit the
     *     record: the request had another schema, or the response was cut off
     */
    public <T extends Record> T as(Class<T> type) {
        return RecordSchema.read(type, text);
    }
}
