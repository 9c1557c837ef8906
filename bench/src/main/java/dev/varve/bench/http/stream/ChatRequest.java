package dev.varve.bench.http.stream;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;

/**
 * A chat, and the length of its answer.
 *
 * @param system the system prompt, if there is one
 * @param messages texts of the user and of the assistant in turn; the first and the last are the
 *     user's
 * @param maxTokens most tokens of the answer
 */
public record ChatRequest(Optional<String> system, List<String> messages, int maxTokens, End end) {
    /** Determines the end of a response. */
    public enum End {
        /** The model ends it by an end token; it has at most the maximum number of tokens. */
        END_TOKEN,
        /** It has the maximum number of tokens, if the server can ignore end tokens. */
        MAX_TOKENS
    }

    /** Copies the messages. */
    public ChatRequest {
        messages = List.copyOf(messages);
    }

    /** Creates a chat without a system prompt. */
    public ChatRequest(List<String> messages, int maxTokens, End end) {
        this(Optional.empty(), messages, maxTokens, end);
    }

    /** Creates a chat of one message, whose answer has all tokens. */
    public ChatRequest(String prompt, int maxTokens) {
        this(List.of(prompt), maxTokens, End.MAX_TOKENS);
    }

    /** The body of a request for a greedy stream. */
    String json(Optional<String> model) {
        ObjectNode body = JsonMapper.shared().createObjectNode();
        model.ifPresent(name -> body.put("model", name));
        ArrayNode chat = body.putArray("messages");
        system.ifPresent(text -> chat.addObject().put("role", "system").put("content", text));
        for (int i = 0; i < messages.size(); i++) {
            chat.addObject()
                    .put("role", i % 2 == 0 ? "user" : "assistant")
                    .put("content", messages.get(i));
        }
        body.put("max_tokens", maxTokens)
                .put("temperature", 0)
                .put("ignore_eos", end == End.MAX_TOKENS)
                .put("stream", true)
                .putObject("stream_options")
                .put("include_usage", true);
        return JsonMapper.shared().writeValueAsString(body);
    }
}
