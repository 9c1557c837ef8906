package dev.varve.platform.http;

import dev.varve.platform.chat.AnswerDialect;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Map;
import java.util.Optional;

/**
 * The model that a server offers.
 *
 * @param id name for clients
 * @param architecture {@code general.architecture} of the file
 * @param trainedContextTokens context that the model was trained for
 * @param engine generates tokens; its status has the context that is offered
 * @param tokenizer of the model
 * @param chat renders conversations; empty where the model has no chat template
 * @param dialect how the answers of the model read
 * @param reasoningDefaults what counts where a request says nothing about thoughts
 * @param details further facts for {@code /props}
 */
public record ServedModel(
        String id,
        String architecture,
        int trainedContextTokens,
        Engine engine,
        Tokenizer tokenizer,
        Optional<ChatRenderer> chat,
        AnswerDialect dialect,
        ReasoningDefaults reasoningDefaults,
        Map<String, Object> details) {
    public ServedModel {
        details = Map.copyOf(details);
    }
}
