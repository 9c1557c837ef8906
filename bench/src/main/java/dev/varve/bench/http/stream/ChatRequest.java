package dev.varve.bench.http.stream;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

/**
 * One message of a user, and the length of its answer.
 *
 * @param prompt text of the message
 * @param maxTokens most tokens of the answer
 */
public record ChatRequest(String prompt, int maxTokens) {
    /**
     * The body of a request: a greedy stream that continues after the end token if the server
     * supports it.
     */
    String json(Optional<String> model) {
        ObjectNode body = JsonMapper.shared().createObjectNode();
        model.ifPresent(name -> body.put("model", name));
        body.putArray("messages").addObject().put("role", "user").put("content", prompt);
        body.put("max_tokens", maxTokens)
                .put("temperature", 0)
                .put("ignore_eos", true)
                .put("stream", true)
                .putObject("stream_options")
                .put("include_usage", true);
        return JsonMapper.shared().writeValueAsString(body);
    }
}
