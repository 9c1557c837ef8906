package dev.varve.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A chat to respond to.
 *
 * @param messages messages in order, at least one
 * @param tools tools that the model may call
 * @param toolChoice whether it calls them
 * @param schema JSON schema that the text of the response satisfies; empty for any text
 * @param sampling values that replace those of the model
 * @param reasoning reasoning that replaces that of the model
 * @param maxTokens most tokens of the response, reasoning included; empty: up to the end of the
 *     context
 * @param stops texts that end the response and are not part of it
 * @since 0.1.0
 */
public record ChatRequest(
        List<Message> messages,
        List<Tool> tools,
        ToolChoice toolChoice,
        Optional<String> schema,
        Sampling sampling,
        Optional<Reasoning> reasoning,
        OptionalInt maxTokens,
        List<String> stops) {
    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if there is no message, {@code maxTokens} is below 1, or a
     *     call is required without tools
     */
    public ChatRequest {
        messages = List.copyOf(messages);
        tools = List.copyOf(tools);
        Objects.requireNonNull(toolChoice);
        Objects.requireNonNull(schema);
        Objects.requireNonNull(sampling);
        Objects.requireNonNull(reasoning);
        stops = List.copyOf(stops);
        if (messages.isEmpty()) {
            throw new IllegalArgumentException("messages: expected at least one");
        }
        if (maxTokens.orElse(1) < 1) {
            throw new IllegalArgumentException(
                    "maxTokens: expected 1 or more, found " + maxTokens.getAsInt());
        }
        if (tools.isEmpty() && toolChoice == ToolChoice.REQUIRED) {
            throw new IllegalArgumentException("toolChoice: REQUIRED needs tools");
        }
    }

    /** Creates a request of messages alone. */
    public static ChatRequest of(List<Message> messages) {
        return new ChatRequest(
                messages,
                List.of(),
                ToolChoice.AUTO,
                Optional.empty(),
                Sampling.DEFAULT,
                Optional.empty(),
                OptionalInt.empty(),
                List.of());
    }

    /** Creates a request of one message of the user. */
    public static ChatRequest of(String text) {
        return of(List.of(Message.user(text)));
    }

    /** Returns a copy with further messages, such as a response and the results of its tools. */
    public ChatRequest plus(List<Message> more) {
        List<Message> all = new ArrayList<>(messages);
        all.addAll(more);
        return withMessages(all);
    }

    /**
     * Returns a copy whose response is the JSON text of a record.
     *
     * @throws IllegalArgumentException if a component of the record has no schema
     */
    public ChatRequest withSchema(Class<? extends Record> type) {
        return withSchema(RecordSchema.of(type));
    }

    /** Returns a copy with other messages. */
    public ChatRequest withMessages(List<Message> messages) {
        return new ChatRequest(
                messages, tools, toolChoice, schema, sampling, reasoning, maxTokens, stops);
    }

    /** Returns a copy with tools. */
    public ChatRequest withTools(List<Tool> tools) {
        return new ChatRequest(
                messages, tools, toolChoice, schema, sampling, reasoning, maxTokens, stops);
    }

    /** Returns a copy with another choice of tools. */
    public ChatRequest withToolChoice(ToolChoice toolChoice) {
        return new ChatRequest(
                messages, tools, toolChoice, schema, sampling, reasoning, maxTokens, stops);
    }

    /** Returns a copy whose response satisfies a JSON schema. */
    public ChatRequest withSchema(String schema) {
        return new ChatRequest(
                messages,
                tools,
                toolChoice,
                Optional.of(schema),
                sampling,
                reasoning,
                maxTokens,
                stops);
    }

    /** Returns a copy with other sampling values. */
    public ChatRequest withSampling(Sampling sampling) {
        return new ChatRequest(
                messages, tools, toolChoice, schema, sampling, reasoning, maxTokens, stops);
    }

    /** Returns a copy with another reasoning. */
    public ChatRequest withReasoning(Reasoning reasoning) {
        return new ChatRequest(
                messages,
                tools,
                toolChoice,
                schema,
                sampling,
                Optional.of(reasoning),
                maxTokens,
                stops);
    }

    /** Returns a copy with a limit on the response. */
    public ChatRequest withMaxTokens(int maxTokens) {
        return new ChatRequest(
                messages,
                tools,
                toolChoice,
                schema,
                sampling,
                reasoning,
                OptionalInt.of(maxTokens),
                stops);
    }

    /** Returns a copy with texts that end the response. */
    public ChatRequest withStops(List<String> stops) {
        return new ChatRequest(
                messages, tools, toolChoice, schema, sampling, reasoning, maxTokens, stops);
    }
}
